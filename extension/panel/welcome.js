/** The empty chat, which is also the first run: what to do, who will answer, and which servers on this computer could. */

import { COMMANDS } from "../lib/commands.js";
import { h } from "../lib/dom.js";
import { command } from "../lib/notices.js";
import { providerLabel } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { ProvidersDetected } from "../lib/protocol.js" */

/** @typedef {ProvidersDetected["found"][number]} Found */

/**
 * @typedef {object} WelcomeEvents
 * @property {() => void} onSummarise the page is to be attached and asked about, in one
 * @property {() => Promise<Found[]>} detect which servers on this computer answer
 * @property {(found: Found, model: string) => void} onUse
 */

/** So many of a server's models are offered here; the settings have all. */
const MODELS_SHOWN = 4;

export class Welcome {
  /** What stands there, so that it is made anew only when that changes: a person may be on its way to a button. */
  #shown = "";

  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   * @param {WelcomeEvents} events
   */
  constructor(root, texts, events) {
    this.root = root;
    this.texts = texts;
    this.events = events;
    this.modelMissing = false;
    this.found = h("div", { "aria-live": "polite" });
  }

  /**
   * What is known once the host has answered.
   * @param {{offline: boolean, modelMissing: boolean}} facts
   */
  set({ offline, modelMissing }) {
    const { texts } = this;
    this.modelMissing = modelMissing;
    const key = `${offline} ${modelMissing}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.found.replaceChildren();
    this.root.replaceChildren(
      h("h2", {}, texts.t("welcomeTitle")),
      h("ol", {}, h("li", {}, texts.t("welcomeAttach")), h("li", {}, texts.t("welcomeAsk"))),
      ...(modelMissing ? [] : [h("button", { type: "button", class: "wide", "data-action": "summarise", onclick: this.events.onSummarise }, texts.t("summarisePage"))]),
      ...(modelMissing ? [h("p", { class: "note" }, texts.t("welcomeNoWeights")), command(COMMANDS.model, texts)] : []),
      ...(offline && !modelMissing ? [h("p", { class: "note" }, texts.t("welcomeOffline"))] : []),
      ...(offline ? [h("button", { type: "button", class: "wide", "data-action": "detect", onclick: () => void this.#detect() }, texts.t("detect"))] : []),
      this.found,
    );
  }

  /** @param {boolean} shown */
  show(shown) {
    this.root.hidden = !shown;
  }

  async #detect() {
    const { texts } = this;
    this.found.replaceChildren(h("p", {}, texts.t("detecting")));
    const found = await this.events.detect();
    this.found.replaceChildren(...(found.length > 0 ? found.flatMap((server) => this.#offers(server)) : [h("p", {}, texts.t("detectNone"))]));
    this.found.querySelector("button")?.focus();
  }

  /**
   * @param {Found} server
   * @returns {HTMLElement[]}
   */
  #offers(server) {
    const models = [...new Set([server.model, ...(server.models ?? [])].filter(Boolean))].slice(0, MODELS_SHOWN);
    const { texts } = this;
    if (models.length === 0) return [h("p", {}, texts.t("detectedWithoutModel", { provider: providerLabel(server.name, "", texts) }))];
    return models.map((model) =>
      h("button", { type: "button", class: "wide", "data-action": "use-found", "data-provider": server.name, onclick: () => this.events.onUse(server, model) }, texts.t("useFound", { who: providerLabel(server.name, model, texts) })),
    );
  }
}
