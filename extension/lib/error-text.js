/** An error as a person reads it: what happened, in their language where it is ours to say, and the next step. */

import { HostError } from "./host-errors.js";

/** @import { Texts } from "./i18n.js" */

/** @typedef {{text: string, command?: string, step?: "settings" | "retry"}} Said */

/** Verdicts that a change of settings can mend. */
const SETTINGS_VERDICTS = new Set(["auth", "unreachable", "quota", "bad_response"]);
/** Kinds that are made in the extension: their own texts are for developers. */
const OWN_KINDS = new Set(["worker_gone", "host_gone", "timeout", "bad_reply", "cancelled"]);

/**
 * @param {unknown} error
 * @param {Texts} texts
 * @returns {Said}
 */
export function say(error, texts) {
  if (!(error instanceof HostError)) return { text: texts.t("error_internal", { detail: String(error) }) };
  if (error.kind.startsWith("host_") && error.data.reason) {
    return { text: texts.t(`host_${error.data.reason}`), command: /** @type {string | undefined} */ (error.data.command) };
  }
  if (OWN_KINDS.has(error.kind)) return { text: texts.t(`error_${error.kind}`) };
  if (error.kind === "provider_failed") return providerSaid(error, texts);
  return { text: error.message };
}

/**
 * @param {HostError} error
 * @param {Texts} texts
 * @returns {Said}
 */
function providerSaid(error, texts) {
  const { status, verdict, provider_message: quoted } = error.data;
  const own = typeof quoted === "string" ? quoted.trim() : "";
  const text = own && !error.message.includes(own) ? `${error.message} ${texts.t("serverSaid", { said: own })}` : error.message;
  const mendable = SETTINGS_VERDICTS.has(String(verdict)) || status === 404;
  return { text, step: mendable ? "settings" : undefined };
}
