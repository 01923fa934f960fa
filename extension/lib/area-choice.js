/**
 * Where the storage area is: in the host's store; in the browser's own storage while this profile has never had a host; and never in both.
 * Stands between the worker's relay and the host's port. Whatever is asked waits while the browser's keys move into the store.
 */

import { adopt } from "./adoption.js";
import { turnover } from "./area-turnover.js";
import { HostError } from "./host-errors.js";
import { ADOPTED_KEY } from "./profile-keys.js";

/** @import { FallbackArea } from "./fallback-area.js" */
/** @import { HostPort } from "./host-port.js" */
/** @import { ProfileArea } from "./profile-keys.js" */
/** @import { LifeHelloResult } from "./protocol.js" */
/** @import { AreaPlace, HostStatus, Requester, RequestOptions } from "./types.js" */

/**
 * What the profile itself remembers of its adoption. Written before the store is told anything: from then on the browser's copy takes no
 * more writes, whatever becomes of the host.
 * @typedef {{store: string, done: boolean, left?: string[]}} Hint
 */

/**
 * @typedef {object} ChoiceOptions
 * @property {Pick<HostPort, "status" | "open" | "busy" | "ready" | "request" | "retry" | "close">} host
 * @property {FallbackArea} fallback
 * @property {ProfileArea} profile
 * @property {(status: HostStatus) => void} onStatus
 * @property {(method: string, params: any) => void} onNotification
 * @property {() => boolean} wantsValues whether anybody hears the values of large keys
 * @property {boolean} passing a private window: its store ends with the host, and another one is no surprise
 */

const TRIES = 3;

export class AreaChoice {
  /** @type {Hint | null} */
  #hint = null;
  #loaded = false;
  /** @type {Promise<void> | null} */
  #loading = null;
  /** @type {Promise<"host" | "browser"> | null} */
  #settling = null;
  /** @type {LifeHelloResult | null} the connection whose store is the area's */
  #settledFor = null;
  #moving = false;
  #usedBrowser = false;
  /** @type {HostStatus} as pages are told it */
  status = { state: "starting", reason: "", message: "" };

  /** @param {ChoiceOptions} options */
  constructor(options) {
    this.options = options;
  }

  get open() {
    return this.options.host.open;
  }

  get busy() {
    return this.options.host.busy || this.#settling !== null;
  }

  close() {
    this.options.host.close();
  }

  /** Look for the host again, and settle where the area is. */
  async retry() {
    await this.options.host.retry();
    await this.#settle().catch(() => {}); // `status` tells
  }

  /**
   * The person has read what stands in the way: another store is this profile's from now on, or keys stay in the browser.
   * @returns {Promise<void>}
   */
  async accept() {
    await this.#load();
    const store = this.options.host.status.hello?.store.id;
    if (store === undefined || !this.#hint) return;
    if (this.#hint.store === store) await this.#remember({ store, done: this.#hint.done });
    else await this.#remember({ store, done: false });
    this.#settledFor = null;
    await this.#settle();
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   * @throws {HostError} as HostPort does
   */
  async request(method, params, options) {
    const place = await this.#settle();
    if (place === "browser" && this.options.fallback.answers(method)) {
      this.#usedBrowser = true;
      return this.options.fallback.request(method, params);
    }
    return this.options.host.request(method, params, options);
  }

  /** The port's own status has changed. Pages are told that the host is ready when the area is. */
  hostChanged() {
    if (this.options.host.status.state === "ready") void this.#settle().catch(() => {}); // whoever asks is told, and `status` tells
    else if (this.#loaded) this.#tell(this.#unsettled());
    else void this.#load().then(() => this.options.host.status.state === "ready" || this.#tell(this.#unsettled()), () => {});
  }

  /**
   * The host announces something. While keys move into the store, its changes are none of the area's: `turnover` tells those.
   * @param {string} method
   * @param {any} params
   */
  notified(method, params) {
    if (method === "storage.onChanged" && this.#moving) return;
    this.options.onNotification(method, params);
  }

  /** Requests go on in the order in which they came: all that wait do so on one promise. */
  #settle() {
    const { host } = this.options;
    if (this.#settling === null && this.#settledFor !== null && host.open && host.status.hello === this.#settledFor) {
      return Promise.resolve(/** @type {const} */ ("host"));
    }
    if (this.#settling === null) {
      const settling = this.#decide();
      const end = () => {
        this.#settling = null;
      };
      settling.then(end, end);
      this.#settling = settling;
    }
    return this.#settling;
  }

  /** @returns {Promise<"host" | "browser">} */
  async #decide() {
    await this.#load();
    for (let left = TRIES; ; left -= 1) {
      try {
        return await this.#choose();
      } catch (error) {
        const gone = error instanceof HostError && error.kind === "host_gone";
        if (!gone || left <= 1) throw error;
      }
    }
  }

  /** @returns {Promise<"host" | "browser">} */
  async #choose() {
    const hello = await this.#greeting();
    if (hello === null) return "browser";
    try {
      const { id } = hello.store;
      const other = this.#hint !== null && this.#hint.store !== id;
      if (!other || this.options.passing) {
        if (other || !this.#hint?.done) await this.#move(id);
      }
    } catch (error) {
      if (this.options.host.status.state === "ready") this.#tell(this.#notMoved(error));
      throw error;
    }
    this.#settledFor = hello;
    this.#tell(this.#settled(hello));
    return "host";
  }

  /** @returns {Promise<LifeHelloResult | null>} null where there is no host, and never was */
  async #greeting() {
    try {
      return await this.options.host.ready();
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (this.#hint !== null) throw away(error);
      if (error.kind !== "host_missing" && error.kind !== "host_forbidden") throw error;
      return null;
    }
  }

  /** @param {string} store */
  async #move(store) {
    const { fallback, host } = this.options;
    /** @type {Requester["request"]} */
    const request = (method, params, options) => host.request(method, params, options);
    this.#moving = true;
    this.#tell({ state: "starting", reason: "", message: "", area: "moving" });
    fallback.stop();
    try {
      await this.#remember({ store, done: false });
      const { before, left } = await adopt(request, fallback);
      await this.#remember(left.length > 0 ? { store, done: true, left } : { store, done: true });
      if (this.#usedBrowser || Object.keys(before).length > 0) await this.#announce(request, before);
    } finally {
      this.#moving = false;
    }
  }

  /**
   * @param {Requester["request"]} request
   * @param {Record<string, any>} before
   */
  async #announce(request, before) {
    const changes = await turnover(request, before, { values: this.options.wantsValues() });
    this.#usedBrowser = false;
    if (Object.keys(changes).length > 0) this.options.onNotification("storage.onChanged", { changes, areaName: "local" });
  }

  #load() {
    this.#loading ??= this.options.profile.get(ADOPTED_KEY).then(
      (hint) => {
        this.#hint = typeof hint?.store === "string" ? hint : null;
        this.#loaded = true;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    return this.#loading;
  }

  /** @param {Hint} hint */
  async #remember(hint) {
    await this.options.profile.set(ADOPTED_KEY, hint);
    this.#hint = hint;
  }

  /** @returns {HostStatus} */
  #unsettled() {
    const { status } = this.options.host;
    if (status.state === "starting" || status.state === "ready") return { ...status, state: "starting" };
    /** @type {AreaPlace | undefined} */
    const area = this.#hint !== null ? "away" : status.state === "no-host" ? "browser" : undefined;
    return { ...status, area };
  }

  /**
   * @param {LifeHelloResult} hello
   * @returns {HostStatus}
   */
  #settled(hello) {
    const left = this.#hint?.left ?? [];
    const area = this.#hint?.store !== hello.store.id ? "other" : left.length > 0 ? "left" : "host";
    return { ...this.options.host.status, area, left };
  }

  /**
   * @param {unknown} error
   * @returns {HostStatus}
   */
  #notMoved(error) {
    const message = error instanceof Error ? error.message : String(error);
    return { state: "not-moved", reason: "not_moved", message, area: "away" };
  }

  /** @param {HostStatus} status */
  #tell(status) {
    this.status = status;
    this.options.onStatus(status);
  }
}

/** @param {HostError} error */
function away({ kind, message, code, data }) {
  const why = message ? ` (${message.replace(/\.$/, "")})` : "";
  const text = `This profile's data lies in Sidekeep's store, and its host cannot be reached${why}. Nothing was read or written: install or repair the host, then try again.`;
  return new HostError(kind, text, { code, data });
}
