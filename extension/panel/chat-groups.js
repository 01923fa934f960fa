/** In which group of the drawer a chat stands. Pure. */

/** @import { Session } from "../lib/protocol.js" */

/** @typedef {"pinned" | "today" | "yesterday" | "week" | "older"} Group */

/** @type {readonly Group[]} in their order; each is the end of a message key, `group_<name>` */
export const GROUPS = Object.freeze(["pinned", "today", "yesterday", "week", "older"]);

/**
 * Chats in folders stand there, so they are in none of these; a pinned one is at the top as well.
 * @param {Session[]} sessions
 * @param {number} nowMs
 * @returns {{group: Group, sessions: Session[]}[]} without empty ones
 */
export function grouped(sessions, nowMs) {
  const shown = sessions.filter(({ pinned, folder }) => pinned || folder === null);
  return GROUPS.map((group) => ({ group, sessions: shown.filter((session) => groupOf(session, nowMs) === group) })).filter((found) => found.sessions.length > 0);
}

/**
 * By the days of the person's own calendar.
 * @param {Session} session
 * @param {number} nowMs
 * @returns {Group}
 */
function groupOf({ pinned, updatedAt }, nowMs) {
  if (pinned) return "pinned";
  const day = (/** @type {number} */ back) => new Date(nowMs).setHours(0, 0, 0, 0) - back * 86_400_000;
  if (updatedAt >= day(0)) return "today";
  if (updatedAt >= day(1)) return "yesterday";
  return updatedAt >= day(7) ? "week" : "older";
}
