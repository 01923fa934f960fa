/**
 * Earlier questions by the arrow keys. Nothing that is being written is ever replaced: Up begins only in an empty composer, and goes on
 * only while what was recalled stands there as it was.
 */

export class Recall {
  /** How far back from the newest; 0 is none. */
  #back = 0;
  #recalled = "";

  /**
   * @param {string} key
   * @param {string} value what stands in the composer
   * @param {string[]} asked the questions, oldest first
   * @returns {string | null} what is to stand there; null where the key is not for this
   */
  key(key, value, asked) {
    const own = this.#back > 0 && value === this.#recalled;
    if (!own) this.#back = 0;
    if (key === "ArrowUp" && (own || value === "") && this.#back < asked.length) return this.#go(this.#back + 1, asked);
    if (key === "ArrowDown" && own) return this.#go(this.#back - 1, asked);
    return null;
  }

  /**
   * @param {number} back
   * @param {string[]} asked
   */
  #go(back, asked) {
    this.#back = back;
    this.#recalled = back === 0 ? "" : (asked.at(-back) ?? "");
    return this.#recalled;
  }
}
