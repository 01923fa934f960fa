/** What is typed and not sent, kept in the browser so that it outlives the panel, the worker and the browser. */

import { DRAFT_KEY } from "./profile-keys.js";

/** @import { ProfileArea } from "./profile-keys.js" */

export class Draft {
  /** @type {string | null} the newest text that has not been written */
  #next = null;
  /** @type {Promise<void> | null} */
  #writing = null;

  /** @param {ProfileArea} area */
  constructor(area) {
    this.area = area;
  }

  /** @returns {Promise<string>} */
  async read() {
    const kept = await this.area.get(DRAFT_KEY);
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
        await this.area.set(DRAFT_KEY, text || undefined);
      }
    } finally {
      this.#writing = null;
    }
  }
}
