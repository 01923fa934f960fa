/** Requests that wait for their reply, each with a time-out and a way to give up. Shared by the worker's and the pages' side. */

import { HostError } from "./host-errors.js";

/** @import { WireError } from "./protocol.js" */
/** @import { Clock, RequestOptions } from "./types.js" */

export const DEFAULT_TIMEOUT_MS = 30_000;
/** Methods whose answer may take a model server's time, a large page's, or a large file's. */
const PATIENCE_MS = new Map([
  ["turn.send", 180_000],
  ["attachments.add", 120_000],
  ["history.get", 60_000],
  ["sessions.get", 60_000],
  ["sessions.compact", 900_000],
  ["providers.test", 180_000],
  ["providers.models", 60_000],
  ["storage.get", 120_000],
  ["storage.set", 120_000],
  ["backups.make", 900_000],
  ["transfer.commit", 7_200_000],
  ["transfer.export", 7_200_000],
]);

/**
 * How long the worker waits for the host's answer.
 * @param {string} method
 */
export function patienceMs(method) {
  return PATIENCE_MS.get(method) ?? DEFAULT_TIMEOUT_MS;
}

/**
 * @typedef {object} Waiting
 * @property {(result: any) => void} resolve
 * @property {(error: HostError) => void} reject
 * @property {() => void} release ends the time-out and the signal's listener
 */

export class Pending {
  #nextId = 1;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();

  /** @param {Clock} clock */
  constructor(clock) {
    this.clock = clock;
  }

  get size() {
    return this.#waiting.size;
  }

  /**
   * Wait for a reply under a new id.
   * @param {string} method
   * @param {RequestOptions} options
   * @param {() => void} onGiveUp called when the time is over or the signal fires, so that the other side can stop
   * @returns {{id: number, promise: Promise<any>}}
   */
  add(method, { timeoutMs = DEFAULT_TIMEOUT_MS, signal }, onGiveUp) {
    const id = this.#nextId++;
    /** @type {Promise<any>} */
    const promise = new Promise((resolve, reject) => {
      /** @param {HostError} error */
      const giveUp = (error) => {
        if (this.fail(id, error)) onGiveUp();
      };
      const late = () => giveUp(new HostError("timeout", `${method} was not answered within ${timeoutMs / 1000} s`));
      const aborted = () => giveUp(new HostError("cancelled", `${method} was cancelled`));
      const timer = this.clock.setTimeout(late, timeoutMs);
      signal?.addEventListener("abort", aborted, { once: true });
      const release = () => {
        this.clock.clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      this.#waiting.set(id, { resolve, reject, release });
      if (signal?.aborted) queueMicrotask(aborted);
    });
    return { id, promise };
  }

  /**
   * @param {number} id
   * @param {{result?: any, error?: WireError}} reply
   */
  settle(id, reply) {
    if (reply.error) this.fail(id, HostError.fromWire(reply.error));
    else this.#take(id)?.resolve(reply.result);
  }

  /**
   * @param {number} id
   * @param {HostError} error
   * @returns {boolean} whether anybody waited
   */
  fail(id, error) {
    const waiting = this.#take(id);
    waiting?.reject(error);
    return waiting !== undefined;
  }

  /** @param {HostError} error */
  failAll(error) {
    for (const id of [...this.#waiting.keys()]) this.fail(id, error);
  }

  /** @param {number} id */
  #take(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.release();
    return waiting;
  }
}
