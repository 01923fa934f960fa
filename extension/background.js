/** The service worker. Every listener is registered here, before the first event; nothing is kept that a restart may not lose. */

import { AreaChoice } from "./lib/area-choice.js";
import { browserArea, clock, connectNative, incognito, isBrowserArray, onAskedToOpen, onPageConnect, profileArea, runtime, sessionArea, tabs, version } from "./lib/chrome.js";
import { FallbackArea } from "./lib/fallback-area.js";
import { HostPort } from "./lib/host-port.js";
import { HostStorage } from "./lib/host-storage.js";
import { PageCache } from "./lib/page-cache.js";
import { profileId } from "./lib/profile.js";
import { Relay } from "./lib/relay.js";

const host = new HostPort({
  clock,
  connect: connectNative,
  hello: async () => ({ client: "sidekeep-extension", version: version(), profile: await profileId(profileArea), incognito: incognito() }),
  onStatus: () => choice.hostChanged(),
  onNotification: (method, params) => choice.notified(method, params),
  wanted: () => relay.wanted,
});
const wantsValues = () => relay.watch.wanted;
const choice = new AreaChoice({
  host,
  fallback: new FallbackArea({ area: browserArea, announce, wantsValues }),
  profile: profileArea,
  onStatus: (status) => relay.announceStatus(status),
  onNotification: announce,
  wantsValues,
  passing: incognito(),
});
const relay = new Relay(choice, clock, new PageCache({ area: sessionArea, tabs, clock }));
const own = relay.own();
const area = new HostStorage({ host: own, runtime: runtime(), isArray: isBrowserArray });
/** `sidekeep.storage` stands in for `chrome.storage`; `sidekeep.request` asks the host anything else. */
Object.assign(self, { sidekeep: { storage: area.storage, request: own.request } });

/**
 * @param {string} method
 * @param {any} params
 */
function announce(method, params) {
  relay.announce(method, params); // first: it is sent off as it is, and a listener of the area's may change what it is handed
  if (method === "storage.onChanged") area.hear(params);
}

onPageConnect((page) => relay.join(page));
onAskedToOpen();
