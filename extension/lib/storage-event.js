/** An event like the browser's own: listeners in order of registration, each once, one that throws stops no other. */

/** @typedef {(...values: any[]) => void} Listener */

export class StorageEvent {
  /** @type {Set<Listener>} */
  #listeners = new Set();
  #onCount;

  /** @param {() => void} onCount called when a listener has come or gone */
  constructor(onCount) {
    this.#onCount = onCount;
  }

  /** @param {any} listener anything but a function is ignored */
  addListener(listener) {
    if (typeof listener !== "function" || this.#listeners.has(listener)) return;
    this.#listeners.add(listener);
    this.#onCount();
  }

  /** @param {any} listener */
  removeListener(listener) {
    if (this.#listeners.delete(listener)) this.#onCount();
  }

  /** @param {any} listener */
  hasListener(listener) {
    return this.#listeners.has(listener);
  }

  hasListeners() {
    return this.#listeners.size > 0;
  }

  /**
   * Not for callers of the area.
   * @param {StorageEvent} event
   * @param {any[]} values
   */
  static fire(event, ...values) {
    for (const listener of [...event.#listeners]) {
      try {
        listener(...values);
      } catch (error) {
        console.error("Error in event handler:", error);
      }
    }
  }
}
