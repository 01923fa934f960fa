/** Attach page: read the page beside the panel and store it as an attachment, asking once for the permission where it is missing. */

import { readPage } from "../lib/page-reader.js";
import { ASKED_KEY } from "../lib/profile-keys.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Browser, Page, Problem } from "../lib/page-reader.js" */
/** @import { ProfileArea } from "../lib/profile-keys.js" */
/** @import { Clock, Requester } from "../lib/types.js" */

/** A prompt that is not on screen (a headless browser has none) never settles; then the person is told of the other way. */
const ASK_TIMEOUT_MS = 20_000;
/** A page whose own script never yields would keep the panel waiting for ever. */
const READ_TIMEOUT_MS = 60_000;

/**
 * @typedef {object} Means
 * @property {Browser & {requestSites: () => Promise<boolean>}} browser
 * @property {ProfileArea} area
 * @property {Requester} host
 * @property {Clock} clock
 * @property {Texts} texts
 */

/** The page could not be attached, and why. `canAsk`: the person can still grant the permission in the browser's own prompt. */
export class NotAttached extends Error {
  /**
   * @param {string} message
   * @param {{canAsk?: boolean}} [more]
   */
  constructor(message, { canAsk = false } = {}) {
    super(message);
    this.name = "NotAttached";
    this.canAsk = canAsk;
  }
}

/**
 * Must be called while a click is handled, or the browser shows no prompt.
 * @param {Means} means
 * @param {{ask?: boolean}} [how] ask: the person has just said that they want to be asked
 * @returns {Promise<{attachId: string, title: string, chars: number, url: string}>}
 * @throws {NotAttached | import("../lib/host-errors.js").HostError}
 */
export async function attachPage(means, { ask = false } = {}) {
  let page = await read(means);
  if (!page.ok && page.problem === "no_access") page = await askAndRead(means, ask);
  if (!page.ok) throw refusal(page.problem, means.texts);
  const { url, title, mode, text } = page;
  const added = await means.host.request("attachments.add", { page: { url: url.slice(0, 2048), title, mode, text } });
  return { ...added, url };
}

/**
 * @param {Means} means
 * @returns {Promise<Page>}
 */
function read({ browser, clock }) {
  return bounded(readPage(browser), { clock, timeoutMs: READ_TIMEOUT_MS, late: /** @type {Page} */ ({ ok: false, problem: "slow" }) });
}

/**
 * @param {Means} means
 * @param {boolean} ask
 * @returns {Promise<Page>}
 */
async function askAndRead(means, ask) {
  const { browser, area, clock, texts } = means;
  // The prompt comes up by itself once; afterwards a person asks for it.
  if (!ask && (await area.get(ASKED_KEY))) throw new NotAttached(texts.t("page_no_access"), { canAsk: true });
  const granted = await bounded(browser.requestSites().catch(() => false), { clock, timeoutMs: ASK_TIMEOUT_MS, late: false });
  await area.set(ASKED_KEY, true);
  if (!granted) throw new NotAttached(texts.t("page_no_access"), { canAsk: true });
  return read(means);
}

/**
 * @template Result
 * @param {Promise<Result>} promise
 * @param {{clock: Clock, timeoutMs: number, late: Result}} bound late: what stands for a promise that took too long
 * @returns {Promise<Result>}
 */
function bounded(promise, { clock, timeoutMs, late }) {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve(late), timeoutMs);
    promise.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}

/**
 * @param {Problem} problem
 * @param {Texts} texts
 */
function refusal(problem, texts) {
  return new NotAttached(texts.t(`page_${problem}`));
}
