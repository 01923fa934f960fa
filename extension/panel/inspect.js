/** What an attachment holds, word for word as the model will read it. */

import { h, need } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Requester } from "../lib/types.js" */

/** A dialog is no place for a book: so much is laid out, the rest is told. */
const MAX_CHARS = 100_000;

export class Inspect {
  /**
   * @param {Requester} host
   * @param {Texts} texts
   */
  constructor(host, texts) {
    this.host = host;
    this.texts = texts;
    /** @type {HTMLDialogElement} */
    this.dialog = need("#inspect");
    need('[data-action="close-inspect"]').addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => need("#inspect-content").replaceChildren());
  }

  /** @param {{attachId: string, title: string, url: string}} item */
  async text({ attachId, title, url }) {
    const { text } = await this.host.request("attachments.get", { attachId });
    const cut = text.length - MAX_CHARS;
    this.#open(title || url, h("pre", { tabindex: 0, class: "inspect-text" }, text.slice(0, MAX_CHARS)), cut > 0 && h("p", {}, this.texts.plural("charsMore", cut)));
  }

  /** @param {{dataUrl: string, name: string}} picture */
  picture({ dataUrl, name }) {
    this.#open(name, h("img", { src: dataUrl, alt: name }));
  }

  /**
   * @param {string} title
   * @param {...(Node | false)} content
   */
  #open(title, ...content) {
    need("#inspect-title").textContent = title;
    need("#inspect-content").replaceChildren(...content.filter((part) => part !== false));
    this.dialog.showModal();
  }
}
