/** What the host has to tell of itself: a store that was put back from a backup, a backup that failed, a wrong line of its settings. */

import { h } from "./dom.js";

/** @import { Texts } from "./i18n.js" */
/** @import { Notice } from "./protocol.js" */

/** Told elsewhere: the welcome says what is missing for the offline model. */
const ELSEWHERE = new Set(["model"]);

export class HostNotices {
  /** @type {Set<string>} */
  #dismissed = new Set();
  /** @type {Notice[]} */
  #told = [];

  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   */
  constructor(root, texts) {
    this.root = root;
    this.texts = texts;
  }

  /** @param {Notice[]} notices as `status` and `status.changed` give them */
  show(notices) {
    this.#told = notices.filter(({ kind }) => !ELSEWHERE.has(kind));
    this.#render();
  }

  #render() {
    const shown = this.#told.filter(({ message }) => !this.#dismissed.has(message));
    this.root.hidden = shown.length === 0;
    this.root.replaceChildren(...shown.map((notice) => this.#row(notice)));
  }

  /** @param {Notice} notice */
  #row({ kind, message }) {
    const dismiss = () => {
      this.#dismissed.add(message);
      this.#render();
    };
    const button = h("button", { type: "button", class: "quiet", onclick: dismiss }, this.texts.t("dismiss"));
    return h("div", { "data-notice": kind }, h("p", {}, message), h("div", { class: "steps" }, button));
  }
}
