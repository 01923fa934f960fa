/**
 * What the worker remembers of pages that were attached: in which tab, and what their text was, so that a page that has changed is told
 * and a video is found again. It lies in the browser's memory and is read by the first call that needs it. An entry counts only while its
 * tab lives, which is looked up each time: a listener for closed tabs would, once added, start a stopped worker and miss the very event.
 * So listening is only for a living worker that has entries, and ends well before the browser stops it.
 */

import { PAGES_KEY } from "./profile-keys.js";

/** @import { CachedPage, Clock } from "./types.js" */

/** The browser stops an idle worker after 30 s. */
export const LISTEN_MS = 20_000;
const MAX_PAGES = 100;

/**
 * @typedef {object} PageCacheMeans
 * @property {{get: (key: string) => Promise<any>, set: (key: string, value: unknown) => Promise<void>}} area
 * @property {{isThere: (tabId: number) => Promise<boolean>, onGone: (listener: (tabId: number) => void) => () => void}} tabs
 * @property {Clock} clock
 */

export class PageCache {
  /** @type {Promise<CachedPage[]> | null} */
  #pages = null;
  /** @type {(() => void) | null} */
  #stopListening = null;
  /** @type {unknown} */
  #timer = null;

  /** @param {PageCacheMeans} means */
  constructor(means) {
    this.means = means;
  }

  /** @param {CachedPage} page */
  async remember({ url, tabId, digest }) {
    const others = (await this.#read()).filter((known) => known.url !== url);
    await this.#write([...others, { url, tabId, digest }].slice(-MAX_PAGES));
    return {};
  }

  /**
   * @param {string} url
   * @returns {Promise<CachedPage | null>}
   */
  async recall(url) {
    const found = (await this.#read()).find((known) => known.url === url);
    if (!found) return null;
    if (await this.means.tabs.isThere(found.tabId)) return found;
    await this.#forget(found.tabId);
    return null;
  }

  async #read() {
    this.#pages ??= this.means.area.get(PAGES_KEY).then((kept) => (Array.isArray(kept) ? kept : []));
    const pages = await this.#pages;
    if (pages.length > 0) this.#listen();
    return pages;
  }

  /** @param {CachedPage[]} pages */
  async #write(pages) {
    this.#pages = Promise.resolve(pages);
    await this.means.area.set(PAGES_KEY, pages);
    if (pages.length > 0) this.#listen();
    else this.#rest();
  }

  /** @param {number} tabId */
  async #forget(tabId) {
    const pages = await this.#read();
    const left = pages.filter((known) => known.tabId !== tabId);
    if (left.length < pages.length) await this.#write(left);
  }

  #listen() {
    const { clock, tabs } = this.means;
    this.#stopListening ??= tabs.onGone((tabId) => void this.#forget(tabId));
    if (this.#timer !== null) clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.#rest(), LISTEN_MS);
  }

  #rest() {
    this.#stopListening?.();
    this.#stopListening = null;
    if (this.#timer !== null) this.means.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
