/** What is typed and not sent, kept in the browser so that it outlives the panel, the worker and the browser. */

const KEY = "draft";

/** @typedef {{get(key: string): Promise<any>, set(key: string, value: unknown): Promise<void>}} Area */

export class Draft {
  /** @type {string | null} the newest text that has not been written */
  #next = null;
  /** @type {Promise<void> | null} */
  #writing = null;

  /** @param {Area} area */
  constructor(area) {
    this.area = area;
  }

  /** @returns {Promise<string>} */
  async read() {
    const kept = await this.area.get(KEY);
    return typeof kept === "string" ? kept : "";
  }

  /**
   * Keep a text. One write at a time, the newest text last: nothing waits for a pause in typing.
   * @param {string} text
   * @returns {Promise<void>} settles when this text or a newer one is kept
   */
  keep(text) {
    this.#next = text;
    this.#writing ??= this.#drain();
    return this.#writing;
  }

  async #drain() {
    try {
      while (this.#next !== null) {
        const text = this.#next;
        this.#next = null;
        await this.area.set(KEY, text || undefined);
      }
    } finally {
      this.#writing = null;
    }
  }
}
