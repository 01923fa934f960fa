/** The uuid by which the host tells browser profiles apart. Made once, kept in the browser's own storage. */

import { PROFILE_KEY } from "./profile-keys.js";

/** @import { ProfileArea } from "./profile-keys.js" */

/** @type {Promise<string> | null} one at a time, or two first connections would make two profiles */
let asked = null;

/**
 * @param {ProfileArea} area
 * @returns {Promise<string>}
 */
export function profileId(area) {
  asked ??= readOrMake(area).catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

/** @param {ProfileArea} area */
async function readOrMake(area) {
  const kept = await area.get(PROFILE_KEY);
  if (typeof kept === "string" && kept) return kept;
  const made = crypto.randomUUID();
  await area.set(PROFILE_KEY, made);
  return made;
}
