/** What the extension's pages use to reach the host: requests and announcements through the worker, which may end and start again. */

import { HostError } from "./host-errors.js";
import { safePost } from "./page-frames.js";
import { PartAssembler } from "./parts.js";
import { patienceMs, Pending } from "./pending.js";

/** @import { Clock, Envelope, HostStatus, PageMethods, PageNotifications, PortLike, Requester, RequestOptions } from "./types.js" */

/** So much longer than the worker's own patience, which looks for a host first, that its error arrives rather than ours. */
const LONGER_MS = 170_000;
const RECONNECT_MS = 100;

/**
 * @typedef {object} HostClientOptions
 * @property {() => PortLike} connect opens a port to the worker, which starts it if need be
 * @property {Clock} clock
 */

/** @implements {Requester} */
export class HostClient {
  /** @type {PortLike | null} */
  #port = null;
  #parts = new PartAssembler();
  #pending;
  /** @type {Map<string, Set<(params: any) => void>>} */
  #listeners = new Map();
  /** @type {HostStatus} */
  status = { state: "starting", reason: "", message: "" };

  /** @param {HostClientOptions} options */
  constructor(options) {
    this.options = options;
    this.#pending = new Pending(options.clock);
  }

  /** Connect to the worker; from then on the connection is kept up. */
  start() {
    if (!this.#port) this.#connect();
  }

  /**
   * @template {keyof PageMethods} Name
   * @param {Name} method
   * @param {PageMethods[Name]["params"]} [params]
   * @param {RequestOptions} [options]
   * @returns {Promise<PageMethods[Name]["result"]>}
   * @throws {HostError}
   */
  request(method, params = {}, { timeoutMs = patienceMs(method) + LONGER_MS, signal } = {}) {
    const port = this.#port ?? this.#connect();
    const { id, promise } = this.#pending.add(method, { timeoutMs, signal }, () => {
      if (this.#port) safePost(this.#port, { method: "$/cancelRequest", params: { id } });
    });
    if (!safePost(port, { id, method, params })) this.#pending.fail(id, workerGone());
    return promise;
  }

  /**
   * Hear what the host announces; `host.state` is the worker's own.
   * @template {keyof PageNotifications} Name
   * @param {Name} method
   * @param {(params: PageNotifications[Name]) => void} listener
   * @param {{signal?: AbortSignal}} [options]
   */
  on(method, listener, { signal } = {}) {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener));
    signal?.addEventListener("abort", () => listeners.delete(listener), { once: true });
  }

  #connect() {
    const port = this.options.connect();
    this.#port = port;
    this.#parts = new PartAssembler();
    port.onMessage.addListener((message) => this.#receive(message));
    port.onDisconnect.addListener(() => this.#dropped(port));
    return port;
  }

  /** @param {Envelope} message */
  #receive(message) {
    if (message.part) {
      const text = this.#parts.feed(message.part);
      if (text === null) return;
      message = JSON.parse(text);
    }
    if (message.method) this.#announce(message.method, message.params);
    else if (typeof message.id === "number") this.#pending.settle(message.id, message);
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #announce(method, params) {
    if (method === "host.state") this.status = params;
    for (const listener of this.#listeners.get(method) ?? []) listener(params);
  }

  /**
   * The worker has ended. A new connection starts it again; what was asked is not repeated, because it may have been done.
   * @param {PortLike} port
   */
  #dropped(port) {
    if (port !== this.#port) return;
    this.#port = null;
    this.#announce("host.state", { state: "starting", reason: "", message: "" });
    this.#pending.failAll(workerGone());
    this.options.clock.setTimeout(() => this.start(), RECONNECT_MS);
  }
}

function workerGone() {
  return new HostError("worker_gone", "the extension's worker ended while it passed this on");
}
