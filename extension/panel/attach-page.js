/** Reading the page beside the panel, what is selected in it or what it shows, and storing it as an attachment; asking once for the permission where it is missing. */

import { problemOfRefusal, readPage } from "../lib/page-reader.js";
import { ASKED_KEY } from "../lib/profile-keys.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Browser, Page, Problem } from "../lib/page-reader.js" */
/** @import { AttachmentsAdded } from "../lib/protocol.js" */
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
 * @typedef {object} How
 * @property {boolean} [ask] the person has just said that they want to be asked
 * @property {"page" | "selection"} [what] the whole page, or what is selected in it
 */

/** @typedef {Extract<Page, {ok: true}>} ReadPage */

/**
 * Must be called while a click is handled, or the browser shows no prompt.
 * @param {Means} means
 * @param {How} [how]
 * @returns {Promise<ReadPage & AttachmentsAdded>}
 * @throws {NotAttached | import("../lib/host-errors.js").HostError}
 */
export async function attachPage(means, { ask = false, what = "page" } = {}) {
  const page = await reach(means, ask, () => read(means, what));
  if (!page.ok) throw refusal(page.problem, means.texts);
  return { ...page, ...(await means.host.request("attachments.add", contentOf(page))) };
}

/** @param {ReadPage} page */
function contentOf({ url, title, mode, text, base64, videoSrc }) {
  if (base64) return { file: { name: title, mime: "application/pdf", base64, url } };
  return { page: { url, title, mode, text }, ...(videoSrc ? { videoSrc } : {}) };
}

/**
 * A picture of what the tab shows.
 * @param {Means & {browser: Capturing}} means
 * @param {{ask?: boolean}} [how]
 * @returns {Promise<string>} a data URL
 * @throws {NotAttached}
 */
export async function capturePage(means, { ask = false } = {}) {
  const picture = await reach(means, ask, () => capture(means.browser));
  if (!picture.ok) throw refusal(picture.problem, means.texts);
  return picture.dataUrl;
}

/** @typedef {Pick<Browser, "activeTab"> & {captureVisible: () => Promise<string>}} Capturing */

/**
 * The browser draws whatever tab is in front by then: where that is another one than was meant, nothing of it may go along.
 * @param {Capturing} browser
 * @returns {Promise<{ok: true, dataUrl: string} | {ok: false, problem: Problem}>}
 */
async function capture(browser) {
  const meant = await browser.activeTab();
  const picture = await drawn(browser);
  const shown = await browser.activeTab();
  return meant?.id === shown?.id ? picture : { ok: false, problem: "gone" };
}

/**
 * @param {Capturing} browser
 * @returns {Promise<{ok: true, dataUrl: string} | {ok: false, problem: Problem}>}
 */
async function drawn(browser) {
  try {
    return { ok: true, dataUrl: await browser.captureVisible() };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: /permission|activeTab/i.test(said) ? "no_access" : problemOfRefusal(said, "") };
  }
}

/**
 * @param {Means} means
 * @param {"page" | "selection"} what
 * @returns {Promise<Page>}
 */
function read({ browser, clock }, what) {
  return bounded(readPage(browser, what), { clock, timeoutMs: READ_TIMEOUT_MS, late: /** @type {Page} */ ({ ok: false, problem: "slow" }) });
}

/**
 * Try, and once more with the permission if it was for want of that.
 * @template {{ok: boolean, problem?: Problem}} Result
 * @param {Means} means
 * @param {boolean} ask
 * @param {() => Promise<Result>} attempt
 * @returns {Promise<Result>}
 */
async function reach(means, ask, attempt) {
  const first = await attempt();
  if (first.ok || first.problem !== "no_access") return first;
  const { browser, area, clock, texts } = means;
  // The prompt comes up by itself once; afterwards a person asks for it.
  if (!ask && (await area.get(ASKED_KEY))) throw new NotAttached(texts.t("page_no_access"), { canAsk: true });
  const granted = await bounded(browser.requestSites().catch(() => false), { clock, timeoutMs: ASK_TIMEOUT_MS, late: false });
  await area.set(ASKED_KEY, true);
  if (!granted) throw new NotAttached(texts.t("page_no_access"), { canAsk: true });
  return attempt();
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
