/** The empty chat: what to do first, and what the offline model is. */

import { h } from "../lib/dom.js";
import { command } from "../lib/notices.js";

/** @import { Texts } from "../lib/i18n.js" */

// Fetches and checks the weights; from a checkout, with its virtual environment.
const GET_MODEL = ".venv/bin/sidekeep model get";

export class Welcome {
  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   */
  constructor(root, texts) {
    this.root = root;
    this.texts = texts;
    this.modelMissing = false;
  }

  /**
   * What is known once the host has answered.
   * @param {{offline: boolean, modelMissing: boolean}} facts
   */
  set({ offline, modelMissing }) {
    const { texts } = this;
    this.modelMissing = modelMissing;
    this.root.replaceChildren(
      h("h2", {}, texts.t("welcomeTitle")),
      h("ol", {}, h("li", {}, texts.t("welcomeAttach")), h("li", {}, texts.t("welcomeAsk"))),
      ...(modelMissing ? [h("p", { class: "note" }, texts.t("welcomeNoWeights")), command(GET_MODEL, texts)] : []),
      ...(offline && !modelMissing ? [h("p", { class: "note" }, texts.t("welcomeOffline"))] : []),
    );
  }

  /** @param {boolean} shown */
  show(shown) {
    this.root.hidden = !shown;
  }
}
