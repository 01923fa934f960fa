/** How long to wait before the next attempt to reach the host. */

export const FIRST_MS = 250;
export const LONGEST_MS = 30_000;

/** Doubles from 250 ms to 30 s, with jitter so that several panels do not knock in step. */
export class Backoff {
  #attempt = 0;

  /** @param {() => number} random in [0, 1) */
  constructor(random = Math.random) {
    this.random = random;
  }

  /** @returns {number} milliseconds: between half and the whole of the step */
  next() {
    const step = Math.min(FIRST_MS * 2 ** this.#attempt, LONGEST_MS);
    this.#attempt += 1;
    return Math.round(step * (0.5 + this.random() / 2));
  }

  /** Only a hello answer may call this: a host that starts and dies at once must not be restarted four times a second. */
  reset() {
    this.#attempt = 0;
  }
}
