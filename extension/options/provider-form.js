/** The settings of one model server: address, key, model, and whether it answers. */

import { h } from "../lib/dom.js";
import { BUILT_IN, CUSTOM, KINDS, OFFLINE, providerName } from "../lib/providers.js";
import { storedProviders } from "../lib/settings.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Light } from "../lib/settings.js" */
/** @import { Provider, Requester } from "../lib/types.js" */

const NUMBERS = /** @type {const} */ ([
  { name: "temperature", min: 0, max: 2, step: 0.1 },
  { name: "maxTokens", min: 1, max: 1_000_000, step: 1 },
  { name: "window", min: 256, max: 100_000_000, step: 1 },
]);

/** @param {string} name */
const isBuiltIn = (name) => name !== CUSTOM && BUILT_IN.some((known) => known.name === name);

/**
 * @typedef {object} FormEvents
 * @property {() => void} onStart what was said before is over
 * @property {(text: string) => void} onSaved
 * @property {(error: unknown) => void} onError
 */

export class ProviderForm {
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #inputs = new Map();
  #name = OFFLINE;
  #dirty = false;
  #clear = h("button");
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
    const known = BUILT_IN.find((provider) => provider.name === name);
    const provider = settings.providers[name] ?? { name, kind: "openai-chat", baseUrl: "", model: "" };
    this.#name = name;
    this.#dirty = false;
    this.#inputs.clear();
    this.#result = h("div", { "aria-live": "polite" });
    const hint = texts.has(`providerHint_${name}`) ? texts.t(`providerHint_${name}`) : "";
    this.form.replaceChildren(
      h("h3", {}, providerName(name, texts)),
      ...(hint ? [h("p", { class: "hint" }, hint)] : []),
      ...(known && !known.fields ? [] : this.#serverFields(provider, known?.key ?? true)),
      ...this.#numberFields(provider),
      this.#buttons(),
      this.#result,
    );
  }

  /**
   * @param {Provider} provider
   * @param {boolean} wantsKey
   */
  #serverFields(provider, wantsKey) {
    const { texts } = this;
    const list = h("datalist", { id: "models" }, ...(provider.models ?? []).map((id) => h("option", { value: id })));
    const load = h("button", { type: "button", "data-action": "list-models", onclick: () => this.#listModels(list) }, texts.t("listModels"));
    const key = this.#input("apiKey", { type: "password", autocomplete: "off" });
    this.#clear = h("button", { type: "button", "data-action": "clear-key", onclick: () => this.#clearKey() }, texts.t("clearKey"));
    this.#showKey(provider.keySet === true);
    return [
      ...(isBuiltIn(this.#name) ? [] : [this.#field("kind", this.#kinds(provider.kind))]),
      this.#field("baseUrl", this.#input("baseUrl", { type: "url", value: provider.baseUrl, required: true, placeholder: "http://127.0.0.1:8080/v1" })),
      this.#field("apiKey", h("div", { class: "row" }, key, this.#clear), wantsKey ? texts.t("keyHint") : texts.t("keyHintOptional")),
      this.#field("model", h("div", { class: "row" }, this.#input("model", { type: "text", value: provider.model, list: "models", spellcheck: "false" }), load), ""),
      list,
      ...(isBuiltIn(this.#name) && provider.kind !== "openai-chat" ? [] : [this.#field("alternate", this.#input("alternate", { type: "checkbox", checked: provider.alternate === true }), texts.t("alternateHint"))]),
    ];
  }

  /** @param {string} chosen */
  #kinds(chosen) {
    const select = h("select", { id: "kind", name: "kind" }, ...Object.entries(KINDS).map(([value, name]) => h("option", { value, selected: value === chosen }, name)));
    this.#inputs.set("kind", select);
    return select;
  }

  /** @param {Provider} provider */
  #numberFields(provider) {
    return NUMBERS.map(({ name, ...range }) =>
      this.#field(name, this.#input(name, { type: "number", value: provider[name] ?? "", placeholder: this.texts.t("serverDecides"), ...range }), this.texts.t(`${name}Hint`)),
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

  /**
   * @param {string} name
   * @param {Record<string, unknown>} attributes
   */
  #input(name, attributes) {
    const input = h("input", { id: name, name, ...attributes });
    this.#inputs.set(name, input);
    return input;
  }

  /**
   * @param {string} name
   * @param {HTMLElement} control
   * @param {string} [hint]
   */
  #field(name, control, hint = "") {
    const id = `${name}-hint`;
    if (hint) this.#inputs.get(name)?.setAttribute("aria-describedby", id);
    return h("div", { class: "field" }, h("label", { for: name }, this.texts.t(name)), control, hint && h("p", { class: "hint", id }, hint));
  }

  /** Only what differs from the built-in is written: a later version's better address then reaches old settings. */
  async #save() {
    if (!this.form.reportValidity()) throw new Error(this.texts.t("mendFields"));
    const providers = await storedProviders(this.host);
    /** @type {Record<string, unknown>} */
    const fields = { ...providers[this.#name] };
    if (isBuiltIn(this.#name)) delete fields.kind;
    for (const name of ["kind", "baseUrl", "model"]) {
      const value = this.#inputs.get(name)?.value.trim();
      if (value !== undefined) fields[name] = value;
    }
    for (const { name } of NUMBERS) {
      const value = this.#inputs.get(name)?.value;
      if (value) fields[name] = Number(value);
      else delete fields[name];
    }
    const alternate = this.#inputs.get("alternate");
    if (alternate instanceof HTMLInputElement && alternate.checked) fields.alternate = true;
    else delete fields.alternate;
    await this.host.request("storage.set", { items: { providers: { ...providers, [this.#name]: fields } } });
    const key = this.#inputs.get("apiKey")?.value.trim();
    // After the address: a key is bound to the address it was saved for.
    if (key) await this.host.request("secrets.set", { provider: this.#name, apiKey: key });
    if (key) this.#showKey(true);
    this.#dirty = false;
  }

  /**
   * A key is never read back: only whether there is one is known.
   * @param {boolean} isSet
   */
  #showKey(isSet) {
    const input = this.#inputs.get("apiKey");
    if (!(input instanceof HTMLInputElement)) return;
    input.value = "";
    input.placeholder = isSet ? this.texts.t("keyIsSet") : "";
    this.#clear.hidden = !isSet;
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
      this.#inputs.get("model")?.focus();
    });
  }

  #clearKey() {
    return this.#guard(async () => {
      await this.host.request("secrets.clear", { provider: this.#name });
      this.#showKey(false);
      this.#inputs.get("apiKey")?.focus();
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
