/** The service worker. Every listener is registered here, before the first event; nothing is kept that a restart may not lose. */

import { clock, connectNative, incognito, onAskedToOpen, onPageConnect, profileArea, version } from "./lib/chrome.js";
import { HostPort } from "./lib/host-port.js";
import { profileId } from "./lib/profile.js";
import { Relay } from "./lib/relay.js";

const host = new HostPort({
  clock,
  connect: connectNative,
  hello: async () => ({ client: "sidekeep-extension", version: version(), profile: await profileId(profileArea), incognito: incognito() }),
  onStatus: (status) => relay.announceStatus(status),
  onNotification: (method, params) => relay.announce(method, params),
  wanted: () => relay.wanted,
});
const relay = new Relay(host, clock);

onPageConnect((page) => relay.join(page));
onAskedToOpen();
