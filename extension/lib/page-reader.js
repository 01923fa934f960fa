/** Reading the page beside the panel, and saying in a word why it cannot be read. The words are message keys: `page_<problem>`. */

/** @import { Extraction } from "./types.js" */

/** @typedef {"no_tab" | "browser_page" | "store" | "view_source" | "file" | "pdf_file" | "pdf_too_large" | "pdf_unreachable" | "pdf_selection" | "not_text" | "empty" | "error_page" | "policy" | "gone" | "closed" | "slow" | "no_selection" | "no_access" | "failed"} Problem */

/** @typedef {{ok: true, tabId: number, url: string, title: string, mode: string, text: string, base64?: string, leftOut?: number, videoSrc?: string} | {ok: false, problem: Problem}} Page */

/**
 * @typedef {object} Browser
 * @property {() => Promise<{id?: number, url?: string} | undefined>} activeTab
 * @property {(tabId: number, files: string[]) => Promise<any>} runInTab
 * @property {(tabId: number) => Promise<boolean>} isClosedTab
 */

/** What is injected to read a page's text, or what is selected in it; the last one's value is the result. */
const SCRIPTS = {
  page: ["vendor/Readability.js", "content/page-markdown.js", "content/captions.js", "content/pdf.js", "content/bounds.js", "content/extract.js"],
  selection: ["content/bounds.js", "content/selection.js"],
};

/**
 * @param {Browser} browser
 * @param {keyof typeof SCRIPTS} [what]
 * @returns {Promise<Page>}
 */
export async function readPage(browser, what = "page") {
  const tab = await browser.activeTab();
  if (tab?.id === undefined) return { ok: false, problem: "no_tab" };
  const problem = problemOfAddress(tab.url ?? "");
  if (problem) return { ok: false, problem };
  try {
    /** @type {Extraction | null} */
    const found = await browser.runInTab(tab.id, SCRIPTS[what]);
    if (!found) return { ok: false, problem: "failed" };
    return found.ok ? { ...found, tabId: tab.id } : found;
  } catch (error) {
    const refused = problemOfRefusal(error instanceof Error ? error.message : String(error), tab.url ?? "");
    const closed = refused === "no_access" && (await browser.isClosedTab(tab.id));
    return { ok: false, problem: closed ? "closed" : refused };
  }
}

/**
 * Pages that no extension may read, by their address, where it is known.
 * @param {string} url "" where the tab is not granted
 * @returns {Problem | null}
 */
export function problemOfAddress(url) {
  if (/^view-source:/i.test(url)) return "view_source";
  if (/^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore|microsoftedge\.microsoft\.com\/addons)([/?#]|$)/i.test(url)) return "store";
  if (/^(chrome|edge|brave|vivaldi|opera|chrome-extension|extension|devtools|chrome-search|chrome-untrusted|about|chrome-error):/i.test(url)) {
    return "browser_page";
  }
  return null;
}

/**
 * What the browser's refusal to run a script means. Its texts are Chromium's, constant in all languages.
 * @param {string} said
 * @param {string} url
 * @returns {Problem}
 */
export function problemOfRefusal(said, url) {
  if (/gallery cannot be scripted/i.test(said)) return "store";
  if (/view-source:/i.test(said)) return "view_source";
  if (/(chrome|edge|chrome-extension|about|devtools):\/?\/?/i.test(said)) return "browser_page";
  if (/showing error page/i.test(said)) return "error_page";
  if (/policy/i.test(said)) return "policy";
  if (/No tab with id|tab was closed|frame .*removed/i.test(said)) return "gone";
  if (/^file:/i.test(url) || /file:\/\//i.test(said)) return /\.pdf(["?#]|$)/i.test(url || said) ? "pdf_file" : "file";
  if (/Cannot access contents/i.test(said)) return "no_access";
  return "failed";
}
