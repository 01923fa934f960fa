/**
 * The area with a real host behind it, for a program that replays what a browser's storage was recorded to do. One host serves all areas
 * that are made; each begins empty, because every case clears it.
 */

import { HostStorage } from "../../extension/lib/host-storage.js";
import { QUOTA_BYTES } from "../../extension/lib/storage-area.js";
import { startHost } from "./host-process.mjs";

/** @type {HostStorage | null} */
let current = null;
const host = startHost({
  onNotification: (method, params) => {
    if (method === "storage.onChanged") current?.hear(params);
  },
});
/** @type {(value: unknown) => boolean} */
let isArray = Array.isArray;

/**
 * How the browser's C++ tells arrays: a Proxy of one is none.
 * @param {(value: unknown) => boolean} told
 */
export function setIsArray(told) {
  isArray = told;
}

/** @param {{unlimited: boolean}} options */
export function makeStorage({ unlimited }) {
  const runtime = {};
  current = new HostStorage({ host, runtime, isArray, quotaBytes: unlimited ? undefined : QUOTA_BYTES });
  return { chrome: { storage: current.storage, runtime } };
}
