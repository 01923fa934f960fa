/** Stand-ins for the browser's clock and ports, driven by hand. */

/** A clock that only moves when told. */
export class FakeClock {
  #now = 0;
  #next = 1;
  /** @type {Map<number, {at: number, callback: () => void}>} */
  #timers = new Map();

  now() {
    return this.#now;
  }

  /**
   * @param {() => void} callback
   * @param {number} delayMs
   */
  setTimeout(callback, delayMs) {
    this.#timers.set(this.#next, { at: this.#now + delayMs, callback });
    return this.#next++;
  }

  /** @param {unknown} timer */
  clearTimeout(timer) {
    this.#timers.delete(/** @type {number} */ (timer));
  }

  /** The time until each timer, soonest first. */
  get waits() {
    return [...this.#timers.values()].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** @param {number} byMs */
  async advance(byMs) {
    const end = this.#now + byMs;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#now = due[1].at;
      due[1].callback();
      await settle();
    }
    this.#now = end;
  }
}

/** One end of a port. The other end is the test: `sent` is what was posted, `receive` and `drop` are what comes. */
export class FakePort {
  /** @type {any[]} */
  sent = [];
  closed = false;
  /** @type {((message: any) => void)[]} */
  #onMessage = [];
  /** @type {(() => void)[]} */
  #onDisconnect = [];
  onMessage = { addListener: (/** @type {(message: any) => void} */ listener) => void this.#onMessage.push(listener) };
  onDisconnect = { addListener: (/** @type {() => void} */ listener) => void this.#onDisconnect.push(listener) };

  /** @param {{limit?: number}} [options] limit: longer messages are refused, as the browser refuses those above 64 MiB */
  constructor({ limit = Infinity } = {}) {
    this.limit = limit;
  }

  /** @param {any} message */
  postMessage(message) {
    if (this.closed) throw new Error("Attempting to use a disconnected port object");
    if (JSON.stringify(message).length > this.limit) throw new Error("Message exceeded maximum allowed size of 64MiB.");
    this.sent.push(JSON.parse(JSON.stringify(message)));
  }

  disconnect() {
    this.closed = true;
  }

  /** @param {any} message */
  receive(message) {
    for (const listener of this.#onMessage) listener(message);
  }

  drop() {
    this.closed = true;
    for (const listener of this.#onDisconnect) listener();
  }

  /** The last thing that was posted. */
  get last() {
    return this.sent.at(-1);
  }
}

/** Let everything that waits for promises go on. */
export async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/**
 * @param {Promise<any>} promise
 * @returns {Promise<any>} what it was rejected with
 */
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}
