/** Code in an answer: its language, a button that copies it, and colours once it is complete. */

import { h } from "./dom.js";
import { named } from "./icons.js";
import { highlighter } from "./late-modules.js";
import { codeMarkup } from "./markup.js";

/** @import { Texts } from "./i18n.js" */

/** Longer code is shown plain: colouring it would hold up the page. */
const MAX_CHARS = 20_000;
const COPIED_MS = 2_000;

/**
 * Give a `pre` its frame.
 * @param {HTMLPreElement} pre
 * @param {Texts} texts
 */
export function frameCode(pre, texts) {
  const language = languageOf(pre);
  pre.tabIndex = 0; // it scrolls, so the keyboard must reach it
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", language ? texts.t("codeIn", { language }) : texts.t("code"));
  const frame = h("div", { class: "code-block", "data-language": language });
  pre.replaceWith(frame);
  frame.append(copyButton(() => pre.textContent ?? "", texts), pre);
}

/**
 * @param {HTMLPreElement} pre
 * @returns {string} "" where none is named
 */
export function languageOf(pre) {
  return /^language-(\S+)/.exec(pre.querySelector("code")?.className ?? "")?.[1] ?? "";
}

/**
 * A button that copies a text and says so.
 * @param {() => string} text
 * @param {Texts} texts
 */
export function copyButton(text, texts) {
  const button = h("button", { type: "button", class: "quiet icon-button", "data-action": "copy-code", "aria-label": texts.t("copy"), title: texts.t("copy") }, named("copy"));
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.replaceChildren(named("done"));
    button.setAttribute("aria-label", texts.t("copied"));
    setTimeout(() => {
      button.replaceChildren(named("copy"));
      button.setAttribute("aria-label", texts.t("copy"));
    }, COPIED_MS);
  });
  return button;
}

/** @param {HTMLPreElement} pre */
export async function colourCode(pre) {
  const code = pre.querySelector("code");
  const text = code?.textContent ?? "";
  const language = languageOf(pre);
  if (!code || !language || text.length > MAX_CHARS) return;
  const { getLanguage, highlight } = await highlighter();
  if (getLanguage(language)) code.replaceChildren(codeMarkup(highlight(text, { language, ignoreIllegals: true }).value));
}
