/** What a person attaches, one after the other: nothing that was brought is passed over, and a question that is sent meanwhile waits. */

/** @typedef {() => Promise<boolean>} Attempt tells what goes wrong itself; whether it went well */

export class AttachQueue {
  /** @type {Promise<boolean>} ends with what was asked for last; whether all of it went well */
  #last = Promise.resolve(true);
  /** Whether a button's work runs: its next click is the same one. */
  #clicked = false;

  /** @param {() => void} onBegin a person has begun anew: what was told before is over */
  constructor(onBegin) {
    this.onBegin = onBegin;
  }

  /** @param {Attempt} attempt */
  async click(attempt) {
    if (this.#clicked) return;
    this.#clicked = true;
    await this.inTurn(attempt);
    this.#clicked = false;
  }

  /** @param {Attempt} attempt */
  async inTurn(attempt) {
    this.onBegin();
    const own = this.#last.then(async (well) => (await attempt()) && well);
    this.#last = own;
    await own;
    if (this.#last === own) this.#last = Promise.resolve(true);
  }

  /** @returns {Promise<boolean>} once nothing is on its way: whether all of it is there */
  settled() {
    return this.#last;
  }
}
