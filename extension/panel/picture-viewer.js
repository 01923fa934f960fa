/** Pictures: small ones in the transcript, and the original in a dialog when a person wants to see it. */

import { h, need } from "../lib/dom.js";

/** @import { Picture } from "../lib/attachment-header.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { Requester } from "../lib/types.js" */

/**
 * A picture as a button that opens it. Where there is nothing small to show, its name stands there.
 * @param {Picture} picture
 * @param {Texts} texts
 * @param {(picture: Picture) => void} onOpen
 */
export function thumbnail(picture, texts, onOpen) {
  const { url, width, height } = picture;
  const size = width && height ? texts.t("pictureSize", { width, height }) : texts.t("picture");
  const shown = url ? h("img", { src: url, alt: "", loading: "lazy", decoding: "async" }) : h("span", { class: "no-picture" }, size);
  return h("button", { type: "button", class: "picture", "data-action": "open-picture", "aria-label": texts.t("openPicture", { size }), onclick: () => onOpen(picture) }, shown);
}

export class PictureViewer {
  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {(error: unknown) => void} onError
   */
  constructor(host, texts, onError) {
    this.host = host;
    this.texts = texts;
    this.onError = onError;
    /** @type {HTMLDialogElement} */
    this.dialog = need("#viewer");
    this.place = need("#viewer-picture");
    need('[data-action="close-viewer"]').addEventListener("click", () => this.dialog.close());
    // What is no longer looked at need not be kept: an original can be many megabytes.
    this.dialog.addEventListener("close", () => this.place.replaceChildren());
  }

  /** @param {Picture} picture */
  async open({ ref, url }) {
    try {
      const original = ref ? await this.host.request("image.get", { ref }) : { dataUrl: url, width: 0, height: 0 };
      const alt = original.width ? this.texts.t("pictureSize", { width: original.width, height: original.height }) : this.texts.t("picture");
      const image = h("img", { src: original.dataUrl, alt });
      const zoom = h("button", { type: "button", class: "picture", "aria-pressed": "false", "aria-label": this.texts.t("fullSize"), onclick: () => this.#zoom(zoom) }, image);
      this.place.replaceChildren(zoom);
      if (!this.dialog.open) this.dialog.showModal();
    } catch (error) {
      this.onError(error);
    }
  }

  /** @param {HTMLButtonElement} button */
  #zoom(button) {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  }
}
