/** Messages between pages and the worker, in parts where the browser's limit of 64 MiB forbids one piece. */

import { PART_CHARS, split } from "./parts.js";

/** @import { PortLike } from "./types.js" */

let streams = 0;

/**
 * Post a message; a port that has just closed is no error, because its other side has already been told.
 * @param {PortLike} port
 * @param {object} message
 * @returns {boolean} whether it was posted
 */
export function safePost(port, message) {
  try {
    post(port, message);
    return true;
  } catch (error) {
    if (/disconnected port/i.test(String(error))) return false;
    throw error;
  }
}

/**
 * @param {PortLike} port
 * @param {object} message
 */
function post(port, message) {
  try {
    port.postMessage(message);
  } catch (error) {
    if (!/maximum allowed size/i.test(String(error))) throw error;
    streams += 1;
    for (const part of split(JSON.stringify(message), { stream: `p${streams}`, partChars: PART_CHARS })) port.postMessage(part);
  }
}
