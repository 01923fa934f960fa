/** The storage area for an extension page: the worker's own, reached through its port. `storage` stands in for `chrome.storage`. */

import { HostStorage } from "./host-storage.js";

/** @import { HostClient } from "./host-client.js" */
/** @import { StorageOptions } from "./host-storage.js" */

/**
 * @param {HostClient} client
 * @param {Omit<StorageOptions, "host">} options
 */
export function pageStorage(client, options) {
  const area = new HostStorage({ host: client, ...options });
  client.on("storage.onChanged", (event) => area.hear(event));
  client.on("host.state", ({ state }) => {
    // A worker that has started anew knows nothing of this page's listeners.
    if (state === "ready") area.renew();
  });
  return area.storage;
}
