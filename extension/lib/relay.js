/**
 * The worker between the extension's pages and the host: passes requests on, answers by the page's own id, and tells every page what
 * the host announces. What it keeps is bound to open ports: when the worker ends, ports end with it and pages connect anew.
 */

import { asHostError, HostError } from "./host-errors.js";
import { safePost } from "./page-frames.js";
import { PartAssembler } from "./parts.js";
import { patienceMs } from "./pending.js";
import { ValueWatch } from "./value-watch.js";

/** @import { CachedPage, Clock, Envelope, HostStatus, PortLike } from "./types.js" */
/** @import { AreaChoice } from "./area-choice.js" */
/** @import { HostPort } from "./host-port.js" */
/** @import { PageCache } from "./page-cache.js" */
/** @import { StorageHost } from "./host-storage.js" */

/** How long the host is kept after the last page has closed and nothing runs. */
export const LINGER_MS = 10_000;

export class Relay {
  /** @type {Map<PortLike, Map<string | number, AbortController>>} each page's port and its requests in flight */
  #pages = new Map();
  /** @type {Set<string>} turns the host is working on */
  #turns = new Set();
  /** @type {unknown} */
  #lingerTimer = null;

  /**
   * @param {Pick<HostPort, "status" | "open" | "busy" | "request" | "retry" | "close"> & Partial<Pick<AreaChoice, "accept">>} host the host's
   *   port, or what stands between it and a browser's own storage
   * @param {Clock} clock
   * @param {PageCache} [pages]
   */
  constructor(host, clock, pages) {
    this.host = host;
    this.clock = clock;
    this.pages = pages;
    /** Who wants large values in events: pages, and the worker's own storage area. */
    this.watch = new ValueWatch(host);
  }

  get wanted() {
    return this.#pages.size > 0 || this.watch.wanted;
  }

  /**
   * A page has connected. Its arrival is reason enough to look for the host again.
   * @param {PortLike} page
   */
  join(page) {
    this.#pages.set(page, new Map());
    const parts = new PartAssembler();
    page.onMessage.addListener((message) => {
      const text = message.part ? parts.feed(message.part) : null;
      if (text !== null) message = JSON.parse(text);
      if (!message.part) void this.#serve(page, message);
    });
    page.onDisconnect.addListener(() => this.#leave(page));
    this.#stopLingering();
    this.#tell(page, { method: "host.state", params: this.host.status });
    if (this.host.status.state !== "ready") void this.host.retry();
  }

  /** @param {HostStatus} status */
  announceStatus(status) {
    if (status.state !== "ready") this.#turns.clear();
    else this.watch.renew();
    this.#broadcast({ method: "host.state", params: status });
    this.#lingerIfIdle();
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  announce(method, params) {
    if (method === "turn.started") this.#turns.add(params.turn);
    if (method === "turn.done" || method === "turn.failed") this.#turns.delete(params.turn);
    this.#broadcast({ method, params });
    this.#lingerIfIdle();
  }

  /**
   * @param {PortLike} page
   * @param {Envelope} message
   */
  async #serve(page, { id, method, params }) {
    if (method === "$/cancelRequest") this.#pages.get(page)?.get(params?.id)?.abort();
    if (typeof method !== "string" || id === undefined || id === null) return;
    const requests = this.#pages.get(page);
    const controller = new AbortController();
    requests?.set(id, controller);
    try {
      const result = await (method === "storage.watch"
        ? this.watch.want(page, params?.values === true)
        : this.#answer(method, params ?? {}, controller.signal));
      this.#tell(page, { id, result });
    } catch (error) {
      this.#tell(page, { id, error: asHostError(error).toWire() });
    } finally {
      requests?.delete(id);
      this.#lingerIfIdle();
    }
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} signal
   */
  async #answer(method, params, signal) {
    if (method === "host.retry") {
      await this.host.retry();
      return this.host.status;
    }
    if (method === "area.accept") {
      await this.host.accept?.();
      return this.host.status;
    }
    if (method === "page.remember") return this.pages?.remember(/** @type {CachedPage} */ (params));
    if (method === "page.recall") return { page: (await this.pages?.recall(/** @type {CachedPage} */ (params).url)) ?? null };
    // The handshake is this worker's own: a page's would change whose data every page sees.
    if (method === "hello") throw new HostError("invalid_request", "hello is the worker's own");
    return this.host.request(method, params, { timeoutMs: patienceMs(method), signal });
  }

  /**
   * A page that closes cancels nothing: what it asked for is still written and still answered into the store.
   * @param {PortLike} page
   */
  #leave(page) {
    this.#pages.delete(page);
    this.watch.want(page, false).catch(() => {}); // no host, no events
    this.#lingerIfIdle();
  }

  /** The worker's own use of the host: what `request` asks is no page's, and ends like one that leaves. */
  own() {
    /** @type {StorageHost["request"]} */
    const request = async (method, params, options) => {
      this.#stopLingering();
      try {
        if (method === "storage.watch") return await this.watch.want(this, params.values);
        return await this.host.request(method, params, options);
      } finally {
        this.#lingerIfIdle();
      }
    };
    return { request };
  }

  get #needed() {
    return this.#pages.size > 0 || this.#turns.size > 0 || this.host.busy || this.watch.wanted;
  }

  #lingerIfIdle() {
    if (this.#needed || this.#lingerTimer !== null) return;
    this.#lingerTimer = this.clock.setTimeout(() => {
      this.#lingerTimer = null;
      if (!this.#needed) this.host.close();
    }, LINGER_MS);
  }

  #stopLingering() {
    if (this.#lingerTimer !== null) this.clock.clearTimeout(this.#lingerTimer);
    this.#lingerTimer = null;
  }

  /** @param {object} message */
  #broadcast(message) {
    for (const page of this.#pages.keys()) this.#tell(page, message);
  }

  /**
   * @param {PortLike} page
   * @param {object} message
   */
  #tell(page, message) {
    if (this.#pages.has(page)) safePost(page, message);
  }
}
