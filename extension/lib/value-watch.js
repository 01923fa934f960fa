/**
 * Who wants the values of heavy keys in `storage.onChanged`. The host knows one client, this worker; behind it are pages and the worker's
 * own area. Values are sent while anybody wants them.
 */

/** @import { HostPort } from "./host-port.js" */

/** Keys whose values can be megabytes; the index has the texts of all chats, and changes with every message. */
export const HEAVY_KEYS = ["history", "savedSessions", "session_*"];

/**
 * Whether a key is one of those.
 * @param {string} key
 */
export function isSpared(key) {
  return key === "history" || key === "savedSessions" || key.startsWith("session_");
}

export class ValueWatch {
  /** @type {Set<object>} */
  #wanting = new Set();
  /** A new connection is sent all values until it says otherwise. */
  #sent = true;

  /** @param {Pick<HostPort, "open" | "request">} host */
  constructor(host) {
    this.host = host;
  }

  get wanted() {
    return this.#wanting.size > 0;
  }

  /**
   * @param {object} who a page's port, or the worker's area
   * @param {boolean} values
   * @returns {Promise<object>} settles when the host knows; without a host there is nothing that it could send
   */
  want(who, values) {
    if (values) this.#wanting.add(who);
    else this.#wanting.delete(who);
    return this.#tell();
  }

  /** A connection has just been made. */
  renew() {
    this.#sent = true;
    this.#tell().catch(() => {}); // the connection has broken again: its successor is told
  }

  async #tell() {
    if (!this.host.open || this.#sent === this.wanted) return {};
    this.#sent = this.wanted;
    return this.host.request("storage.watch", { keys: HEAVY_KEYS, values: this.wanted });
  }
}
