/** What goes wrong between the extension and the host: errors with a kind, and diagnoses that the panel shows. */

import { COMMANDS } from "./commands.js";

/** @import { WireError } from "./protocol.js" */
/** @import { HostState } from "./types.js" */

/**
 * An error with a kind. Beside the wire's own kinds (docs/protocol.md, Errors) these are made here: host_missing, host_forbidden,
 * host_outdated, host_crashed, host_gone, worker_gone, timeout, bad_reply. Pages say them in the person's language by kind; a
 * message that came from the host is shown as it is.
 */
export class HostError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   * @param {{code?: number, data?: Record<string, unknown>}} [more]
   */
  constructor(kind, message, { code = 0, data = {} } = {}) {
    super(message);
    this.name = "HostError";
    this.kind = kind;
    this.code = code;
    this.data = data;
  }

  /** @param {WireError} error */
  static fromWire(error) {
    const data = error.data ?? {};
    return new HostError(typeof data.kind === "string" ? data.kind : "internal", error.message, { code: error.code, data });
  }

  /** @returns {WireError} */
  toWire() {
    return { code: this.code, message: this.message, data: { ...this.data, kind: this.kind } };
  }
}

/**
 * @param {unknown} error
 * @returns {HostError}
 */
export function asHostError(error) {
  if (error instanceof HostError) return error;
  return new HostError("internal", error instanceof Error ? error.message : String(error));
}

/**
 * @typedef {object} Diagnosis
 * @property {HostState} state
 * @property {string} reason the end of a message key: `host_<reason>`
 * @property {string} kind of the error that waiting requests get
 * @property {string} message what the browser or the host said
 * @property {string} command what mends it
 * @property {boolean} retry whether trying again by itself can help
 */

/**
 * What the browser's own text about a closed native port means. The texts were measured in Chromium 156.
 * @param {string} said chrome.runtime.lastError.message
 * @returns {Diagnosis}
 */
export function diagnoseDisconnect(said) {
  if (/host not found|invalid native messaging host name/i.test(said)) {
    return { state: "no-host", reason: "missing", kind: "host_missing", message: said, command: COMMANDS.install, retry: false };
  }
  if (/forbidden/i.test(said)) {
    return { state: "no-host", reason: "forbidden", kind: "host_forbidden", message: said, command: COMMANDS.install, retry: false };
  }
  return crashed(/communicating/i.test(said) ? "garbled" : "exited", said);
}

/**
 * @param {"exited" | "garbled" | "silent" | "refused"} reason
 * @param {string} said
 * @returns {Diagnosis}
 */
export function crashed(reason, said = "") {
  return { state: "crashed", reason, kind: "host_crashed", message: said, command: COMMANDS.repair, retry: true };
}

/**
 * @param {"host" | "extension"} side the one to update
 * @param {string} said
 * @param {string} command as the host gives it, who knows how it was installed
 * @returns {Diagnosis}
 */
export function outdated(side, said = "", command = side === "host" ? COMMANDS.repair : COMMANDS.extension) {
  return { state: "outdated", reason: `outdated_${side}`, kind: "host_outdated", message: said, command, retry: false };
}

/**
 * @param {HostError} error what hello was answered with
 * @returns {Diagnosis}
 */
export function diagnoseHello(error) {
  if (error.kind === "protocol_mismatch") {
    const { update, command } = error.data;
    return outdated(update === "extension" ? "extension" : "host", error.message, typeof command === "string" ? command : undefined);
  }
  if (error.kind === "forbidden_origin") return { ...diagnoseDisconnect("forbidden"), message: error.message };
  if (error.kind === "timeout") return crashed("silent");
  return crashed("refused", error.message);
}
