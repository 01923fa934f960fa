/** The worker: one port to Sidekeep's host for all pages of this extension, and a storage area that lies in its store. */

import { clock, connectNative, onPageConnect, runtime, version } from "./lib/chrome.js";
import { HostPort } from "./lib/host-port.js";
import { HostStorage } from "./lib/host-storage.js";
import { Relay } from "./lib/relay.js";

const host = new HostPort({
  clock,
  connect: connectNative,
  hello: async () => ({ client: "margin", version: version() }),
  onStatus: (status) => relay.announceStatus(status),
  onNotification: announce,
  wanted: () => relay.wanted,
});
const relay = new Relay(host, clock);
const area = new HostStorage({ host: relay.own(), runtime: runtime() });
const { storage } = area; // what chrome.storage is to other extensions

/**
 * @param {string} method
 * @param {any} params
 */
function announce(method, params) {
  relay.announce(method, params);
  if (method === "storage.onChanged") area.hear(params); // for listeners in the worker, of which this one has none
}

onPageConnect((page) => relay.join(page));

/** A click on the icon keeps the page's title and address. The page of notes is opened first: it says so where there is no host. */
chrome.action.onClicked.addListener(async ({ title, url }) => {
  await chrome.tabs.create({ url: "notes.html" });
  const { notes } = await storage.local.get({ notes: [] });
  await storage.local.set({ notes: [...notes, `${title} (${url})`] });
});
