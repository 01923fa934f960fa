/**
 * The storage area's fixed keys (docs/protocol.md, Storage area). The host has the same table; a test compares them. `history`,
 * `savedSessions` and `session_<id>` are targeted reads: they can be large, so getAll never touches them.
 */

export const DEFAULTS = Object.freeze({
  providers: {},
  activeProvider: "offline",
  activeModel: "",
  pingStates: {},
  history: [],
  activeSessionId: "",
  contextMode: "auto",
  maxTextChars: 0,
  summarizeThresholdChars: 0,
  autoSummarizeAttachments: true,
  systemPrompt: "You are a helpful assistant.",
  replyLanguage: "",
  requestWindow: { mode: "full", messages: 12, chars: 8000 },
});

/** The options page's own. */
export const OPTIONS_DEFAULTS = Object.freeze({ theme: "system", uiLanguage: "", sendKey: "enter" });

export const GET_ALL_KEYS = Object.freeze([...Object.keys(DEFAULTS).filter((key) => key !== "history"), ...Object.keys(OPTIONS_DEFAULTS)]);
