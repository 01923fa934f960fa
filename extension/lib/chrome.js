/** The one module that touches `chrome`. Everything else is handed what it needs from here. */

import { CLOSED_KEY } from "./profile-keys.js";

/** @import { ProfileArea } from "./profile-keys.js" */
/** @import { BrowserArea, Clock, PortLike } from "./types.js" */

export const HOST_NAME = "dev.sidekeep.host";
export const PORT_NAME = "sidekeep";

/** @type {Clock} */
export const clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (timer) => globalThis.clearTimeout(/** @type {number} */ (timer)),
};

export const version = () => chrome.runtime.getManifest().version;
export const incognito = () => chrome.extension.inIncognitoContext;
/** Where `lastError` appears while a callback runs. */
export const runtime = () => chrome.runtime;
/** @param {string} path */
export const url = (path) => chrome.runtime.getURL(path);

/** Open the native port. Errors come with its disconnect, as `lastError`, readable only inside that event. */
export function connectNative() {
  const port = chrome.runtime.connectNative(HOST_NAME);
  return { port: /** @type {PortLike} */ (port), lastError: () => chrome.runtime.lastError?.message ?? "" };
}

/** @returns {PortLike} a port from a page to the worker */
export function connectWorker() {
  return chrome.runtime.connect({ name: PORT_NAME });
}

/**
 * Hear pages connect: this extension's own pages only, whatever the browser lets through.
 * @param {(page: PortLike) => void} join
 */
export function onPageConnect(join) {
  chrome.runtime.onConnect.addListener((port) => {
    const own = port.sender?.id === chrome.runtime.id && port.sender.url?.startsWith(chrome.runtime.getURL(""));
    if (port.name === PORT_NAME && own) join(port);
    else port.disconnect();
  });
}

/** The icon, its shortcut and the context menu open the panel; each grants activeTab, which a click inside the panel does not. */
export function onAskedToOpen() {
  chrome.action.onClicked.addListener((tab) => openPanel(tab));
  chrome.contextMenus.onClicked.addListener((_info, tab) => tab && openPanel(tab));
  chrome.runtime.onInstalled.addListener(() => {
    chrome.contextMenus.removeAll(() =>
      chrome.contextMenus.create({ id: "open", title: chrome.i18n.getMessage("contextMenuTitle"), contexts: ["page", "selection", "link", "image"] }),
    );
  });
}

/** @param {chrome.tabs.Tab} tab */
function openPanel(tab) {
  // No await before this: the gesture that allows it ends with the first one.
  void chrome.sidePanel.open({ windowId: tab.windowId });
  // The click shows the tab's address wherever it can grant anything; on a page's source or an error page it cannot.
  void chrome.storage.session.set({ [CLOSED_KEY]: tab.url === undefined ? tab.id : null });
}

/**
 * Whether the icon was clicked on a tab without effect: no permission opens such a page.
 * @param {number} tabId
 */
export async function isClosedTab(tabId) {
  return (await chrome.storage.session.get(CLOSED_KEY))[CLOSED_KEY] === tabId;
}

/**
 * A place for small things of this browser profile: drafts, the profile's id, what was asked once. In an incognito window nothing
 * may reach the disk, so it is memory there.
 */
export const profileArea = /** @type {ProfileArea} */ ({
  async get(key) {
    return (await browserArea().get(key))[key];
  },
  async set(key, value) {
    if (value === undefined) await browserArea().remove(key);
    else await browserArea().set({ [key]: value });
  },
});

/** The browser's own storage of this profile; the storage area lies there, too, while there is no host. */
export function browserArea() {
  return /** @type {BrowserArea} */ (incognito() ? chrome.storage.session : chrome.storage.local);
}

/** The tab that the panel stands beside. Its address is only known while it is granted. */
export async function activeTab() {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}

/**
 * Run scripts in a tab's page, in the extension's own world.
 * @param {number} tabId
 * @param {string[]} files
 * @returns {Promise<any>} what the last script evaluated to
 */
export async function runInTab(tabId, files) {
  const [frame] = await chrome.scripting.executeScript({ target: { tabId }, files });
  return frame?.result;
}

/**
 * Move the video of a tab's page.
 * @param {number} tabId
 * @param {number} seconds
 * @returns {Promise<boolean>} whether there was one, and the page let itself be reached
 */
export async function seekVideo(tabId, seconds) {
  try {
    const [frame] = await chrome.scripting.executeScript({ target: { tabId }, func: seekFirstVideo, args: [seconds] });
    return frame?.result === true;
  } catch {
    return false; // the tab has gone, or the permission for its page has ended
  }
}

/** Runs in the page. @param {number} seconds */
function seekFirstVideo(seconds) {
  const video = document.querySelector("video");
  if (!video) return false;
  video.currentTime = seconds;
  return true;
}

/**
 * Whether the browser's own APIs take a value for an array. They do not for a Proxy of one, such as a framework's reactive state, and no
 * script can tell those apart: so one of them is asked, for something that it must refuse at the first item.
 * @param {unknown} value
 */
export function isBrowserArray(value) {
  try {
    if (!Array.isArray(value)) return false;
    const first = Object.getOwnPropertyDescriptor(value, 0);
    if (first?.get) return true; // it runs once, when the value is read
    if (typeof first?.value === "number") chrome.storage.session.remove(value); // takes strings
    else chrome.tabs.move(value, /** @type {any} */ ({})); // takes numbers, and a place to move to
    return true;
  } catch (error) {
    return !/No matching signature|revoked/.test(String(error));
  }
}

/** A picture of what the tab beside the panel shows: a data URL. */
export function captureVisible() {
  return chrome.tabs.captureVisibleTab({ format: "png" });
}

/** What the worker keeps for as long as the browser runs, and only in memory. */
export const sessionArea = {
  /** @param {string} key */
  async get(key) {
    return (await chrome.storage.session.get(key))[key];
  },
  /** @param {string} key @param {unknown} value */
  set: (key, value) => chrome.storage.session.set({ [key]: value }),
};

/** The life of tabs, as the page cache needs it. */
export const tabs = {
  /** @param {number} tabId */
  async isThere(tabId) {
    return chrome.tabs.get(tabId).then(() => true, () => false);
  },
  /** @param {(tabId: number) => void} listener */
  onGone(listener) {
    chrome.tabs.onRemoved.addListener(listener);
    return () => chrome.tabs.onRemoved.removeListener(listener);
  },
};

const EVERY_SITE = { origins: ["http://*/*", "https://*/*"] };

/** Ask the person to let Sidekeep read pages. Must be called while a click is being handled. */
export function requestSites() {
  return chrome.permissions.request(EVERY_SITE);
}

export function openOptions() {
  // openOptionsPage would leave the incognito window.
  if (incognito()) void chrome.tabs.create({ url: chrome.runtime.getURL("options/options.html") });
  else void chrome.runtime.openOptionsPage();
}
