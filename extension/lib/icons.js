/** The panel's icons, as paths in a box of 24 drawn with a line of 2. Made for Sidekeep. */

import { icon } from "./dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  chats: "M4 6h16M4 12h16M4 18h10",
  newChat: "M12 5v14M5 12h14",
  settings: "M4 7h8m4 0h4M4 17h4m4 0h8M14 5v4M10 15v4",
  attach: "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  close: "M6 6l12 12M18 6L6 18",
  rename: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  copy: "M9 9h10v11H9zM5 15V4h10",
  done: "M5 13l4 4L19 7",
  again: "M5 12a7 7 0 1 1 2 5M5 18v-4h4",
  branch: "M7 4v16M7 12c6 0 10-2 10-7M14 8l3-3 3 3",
  temporary: "M12 7v5l3 2M12 4a8 8 0 1 0 8 8M16 4.6A8 8 0 0 1 19.4 8",
  more: "M5 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M17 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
};

/**
 * Draw the icons that a page's buttons ask for with `data-icon`.
 * @param {ParentNode} root
 */
export function drawIcons(root) {
  for (const element of root.querySelectorAll("[data-icon]")) element.prepend(named(element.getAttribute("data-icon") ?? ""));
}

/** @param {string} name */
export function named(name) {
  return icon(PATHS[name] ?? "");
}
