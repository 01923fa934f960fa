/** The settings of one model server: saved, tried, its models listed, its key forgotten. */

import { h } from "../lib/dom.js";
import { OFFLINE, providerName } from "../lib/providers.js";
import { storedProviders } from "../lib/settings.js";
import { ProviderFields } from "./provider-fields.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Light } from "../lib/settings.js" */
/** @import { Requester } from "../lib/types.js" */

/**
 * @typedef {object} FormEvents
 * @property {() => void} onStart what was said before is over
 * @property {(text: string) => void} onSaved
 * @property {(error: unknown) => void} onError
 */

export class ProviderForm {
  #name = OFFLINE;
  #dirty = false;
  /** Shows what a test said. */
  #result = h("div");

  /**
   * @param {HTMLFormElement} form
   * @param {Requester} host
   * @param {Texts} texts
   * @param {FormEvents} events
   */
  constructor(form, host, texts, events) {
    this.form = form;
    this.host = host;
    this.texts = texts;
    this.events = events;
    this.fields = new ProviderFields(texts, { onListModels: (list) => void this.#listModels(list), onClearKey: () => void this.#clearKey() });
    form.addEventListener("input", () => (this.#dirty = true));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#guard(async () => {
        await this.#save();
        await this.#use();
        events.onSaved(texts.t("savedAndUsed", { provider: providerName(this.#name, texts) }));
      });
    });
  }

  /** Whether something was typed and not saved. */
  get dirty() {
    return this.#dirty;
  }

  get name() {
    return this.#name;
  }

  /**
   * @param {string} name
   * @param {Light} settings
   */
  show(name, settings) {
    const { texts } = this;
    const provider = settings.providers[name] ?? { name, kind: "openai-chat", baseUrl: "", model: "" };
    this.#name = name;
    this.#dirty = false;
    this.#result = h("div", { "aria-live": "polite" });
    const hint = texts.has(`providerHint_${name}`) ? texts.t(`providerHint_${name}`) : "";
    this.form.replaceChildren(
      h("h3", {}, providerName(name, texts)),
      ...(hint ? [h("p", { class: "hint" }, hint)] : []),
      ...this.fields.rows(name, provider),
      this.#buttons(),
      this.#result,
    );
  }

  #buttons() {
    const { texts } = this;
    return h(
      "div",
      { class: "buttons" },
      h("button", { type: "submit", class: "main", "data-action": "save-provider" }, texts.t("saveAndUse")),
      h("button", { type: "button", "data-action": "test-provider", onclick: () => this.#test() }, texts.t("test")),
    );
  }

  /** Only what differs from the built-in is written: a later version's better address then reaches old settings. */
  async #save() {
    if (!this.form.reportValidity()) throw new Error(this.texts.t("mendFields"));
    const providers = await storedProviders(this.host);
    await this.host.request("storage.set", { items: { providers: { ...providers, [this.#name]: this.fields.changed(this.#name, providers[this.#name]) } } });
    const { key } = this.fields;
    // After the address: a key is bound to the address it was saved for.
    if (key) await this.host.request("secrets.set", { provider: this.#name, apiKey: key });
    if (key) this.fields.showKey(true);
    this.#dirty = false;
  }

  #use() {
    return this.host.request("storage.set", { items: { activeProvider: this.#name, activeModel: "" } });
  }

  /** What is on the form is what is tested, so it is saved first. */
  #test() {
    return this.#guard(async () => {
      await this.#save();
      this.#say(this.texts.t("testing"));
      const { ok, message } = await this.host.request("providers.test", { provider: this.#name });
      this.#say(message, ok);
    });
  }

  /** @param {HTMLDataListElement} list */
  #listModels(list) {
    return this.#guard(async () => {
      await this.#save();
      this.#say(this.texts.t("listing"));
      const { models } = await this.host.request("providers.models", { provider: this.#name });
      list.replaceChildren(...models.map((/** @type {{id: string}} */ model) => h("option", { value: model.id })));
      const names = models.slice(0, 12).map((/** @type {{id: string}} */ model) => model.id);
      const listed = names.length > 0 ? `: ${names.join(", ")}${models.length > names.length ? " …" : ""}` : "";
      this.#say(this.texts.plural("modelsFound", models.length) + listed, models.length > 0);
      this.fields.focus("model");
    });
  }

  #clearKey() {
    return this.#guard(async () => {
      await this.host.request("secrets.clear", { provider: this.#name });
      this.fields.showKey(false);
      this.fields.focus("apiKey");
      this.events.onSaved(this.texts.t("keyCleared"));
    });
  }

  /**
   * @param {string} text
   * @param {boolean} [ok]
   */
  #say(text, ok) {
    this.#result.replaceChildren(h("p", { class: "result", "data-ok": ok }, text));
    if (ok === true) this.#result.firstElementChild?.setAttribute("data-ok", "true");
    if (ok === false) this.#result.firstElementChild?.setAttribute("data-ok", "false");
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    this.events.onStart();
    try {
      await work();
    } catch (error) {
      this.#result.replaceChildren();
      this.events.onError(error);
    }
  }
}
