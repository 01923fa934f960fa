/** `[mm:ss]` in an answer about a video, as buttons that go there. */

import { h } from "./dom.js";

/** @import { Texts } from "./i18n.js" */

const TIME = /\[(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)\]/g;
const NOT_WITHIN = "a, button, code, pre";

/**
 * @param {Element} root
 * @param {Texts} texts
 * @param {(seconds: number) => void} onSeek
 */
export function makePills(root, texts, onSeek) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.closest(NOT_WITHIN) && new RegExp(TIME).test(node.textContent ?? "")) found.push(/** @type {Text} */ (node));
  }
  for (const text of found) text.replaceWith(...pieces(text.data, texts, onSeek));
}

/**
 * @param {string} text
 * @param {Texts} texts
 * @param {(seconds: number) => void} onSeek
 */
function pieces(text, texts, onSeek) {
  /** @type {(string | Node)[]} */
  const made = [];
  let end = 0;
  for (const match of text.matchAll(TIME)) {
    const seconds = Number(match[1] ?? 0) * 3600 + Number(match[2]) * 60 + Number(match[3]);
    const time = match[0].slice(1, -1);
    const pill = h("button", { type: "button", class: "pill", "data-action": "seek", "data-seconds": seconds, "aria-label": texts.t("seekTo", { time }), onclick: () => onSeek(seconds) }, time);
    made.push(text.slice(end, match.index), pill);
    end = match.index + match[0].length;
  }
  return [...made, text.slice(end)];
}
