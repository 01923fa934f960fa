/** What a person should know of where their chats and settings are, when the host is there and something is not as they may think. */

import { h } from "./dom.js";

/** @import { Texts } from "./i18n.js" */
/** @import { HostStatus } from "./types.js" */

export class AreaNotice {
  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   * @param {() => void} onAccept
   */
  constructor(root, texts, onAccept) {
    this.root = root;
    this.texts = texts;
    this.onAccept = onAccept;
  }

  /** @param {HostStatus} status */
  show({ area, left = [] }) {
    const { texts } = this;
    const told = area === "moving" || area === "other" || area === "left";
    this.root.hidden = !told;
    this.root.dataset.area = area ?? "";
    if (!told) return this.root.replaceChildren();
    const accept = area !== "moving" && h("button", { type: "button", "data-action": "accept-area", onclick: this.onAccept }, texts.t(`areaAccept_${area}`));
    this.root.replaceChildren(h("p", {}, texts.t(`area_${area}`, { keys: left.join(", ") })), h("div", { class: "steps" }, accept));
  }
}
