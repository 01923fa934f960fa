/**
 * What Sidekeep itself keeps in the browser's storage, beside the area's keys that lie there while there is no host: of this browser
 * profile, never part of the area.
 */

/** The uuid by which the host tells browser profiles apart. */
export const PROFILE_KEY = "sidekeepProfile";
/** Which store has taken over what this profile kept here. */
export const ADOPTED_KEY = "sidekeepAdopted";
/** What is typed and not sent. */
export const DRAFT_KEY = "draft";
/** Whether the person was asked for the permission to read pages. */
export const ASKED_KEY = "askedForSites";
/** The tab on which a click on the icon has no effect. */
export const CLOSED_KEY = "closedTab";
/** What the worker remembers of attached pages. */
export const PAGES_KEY = "attachedPages";
/** Whether the chat that is open is a temporary one. */
export const TEMPORARY_KEY = "temporaryChat";

/** @type {ReadonlySet<string>} */
export const OWN_KEYS = new Set([PROFILE_KEY, ADOPTED_KEY, DRAFT_KEY, ASKED_KEY, CLOSED_KEY, PAGES_KEY, TEMPORARY_KEY]);

/** @typedef {typeof PROFILE_KEY | typeof ADOPTED_KEY | typeof DRAFT_KEY | typeof ASKED_KEY} ProfileKey */

/**
 * Where these lie: the browser's own storage, in a private window its memory.
 * @typedef {object} ProfileArea
 * @property {(key: ProfileKey) => Promise<any>} get
 * @property {(key: ProfileKey, value: unknown) => Promise<void>} set undefined removes it
 */
