/** The fields of one model server, and what they hold. */

import { h } from "../lib/dom.js";
import { BUILT_IN, CUSTOM, KINDS } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Provider } from "../lib/types.js" */

const NUMBERS = /** @type {const} */ ([
  { name: "temperature", min: 0, max: 2, step: 0.1 },
  { name: "maxTokens", min: 1, max: 1_000_000, step: 1 },
  { name: "window", min: 256, max: 100_000_000, step: 1 },
]);

/** @param {string} name */
const isBuiltIn = (name) => name !== CUSTOM && BUILT_IN.some((known) => known.name === name);

/**
 * @typedef {object} FieldEvents
 * @property {(list: HTMLDataListElement) => void} onListModels the server's models are to be put into the list
 * @property {() => void} onClearKey
 */

export class ProviderFields {
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #inputs = new Map();
  #clear = h("button");

  /**
   * @param {Texts} texts
   * @param {FieldEvents} events
   */
  constructor(texts, events) {
    this.texts = texts;
    this.events = events;
  }

  /**
   * @param {string} name
   * @param {Provider} provider
   */
  rows(name, provider) {
    const known = BUILT_IN.find((built) => built.name === name);
    this.#inputs.clear();
    return [...(known && !known.fields ? [] : this.#server(name, provider, known?.key ?? true)), ...this.#numbers(provider)];
  }

  /** A key that was typed, or "". */
  get key() {
    return this.#inputs.get("apiKey")?.value.trim() ?? "";
  }

  /** @param {string} field */
  focus(field) {
    this.#inputs.get(field)?.focus();
  }

  /**
   * What is to be stored: of a built-in server no kind, of a number that is not set nothing.
   * @param {string} name
   * @param {object} [stored] as it was
   */
  changed(name, stored) {
    /** @type {Record<string, unknown>} */
    const fields = { ...stored };
    if (isBuiltIn(name)) delete fields.kind;
    for (const key of ["kind", "baseUrl", "model"]) {
      const value = this.#inputs.get(key)?.value.trim();
      if (value !== undefined) fields[key] = value;
    }
    for (const { name: key } of NUMBERS) {
      const value = this.#inputs.get(key)?.value;
      if (value) fields[key] = Number(value);
      else delete fields[key];
    }
    const alternate = this.#inputs.get("alternate");
    if (alternate instanceof HTMLInputElement && alternate.checked) fields.alternate = true;
    else delete fields.alternate;
    return fields;
  }

  /**
   * A key is never read back: only whether there is one is known.
   * @param {boolean} isSet
   */
  showKey(isSet) {
    const input = this.#inputs.get("apiKey");
    if (!(input instanceof HTMLInputElement)) return;
    input.value = "";
    input.placeholder = isSet ? this.texts.t("keyIsSet") : "";
    this.#clear.hidden = !isSet;
  }

  /**
   * @param {string} name
   * @param {Provider} provider
   * @param {boolean} wantsKey
   */
  #server(name, provider, wantsKey) {
    const { texts, events } = this;
    const list = h("datalist", { id: "models" }, ...(provider.models ?? []).map((id) => h("option", { value: id })));
    const load = h("button", { type: "button", "data-action": "list-models", onclick: () => events.onListModels(list) }, texts.t("listModels"));
    const key = this.#input("apiKey", { type: "password", autocomplete: "off" });
    this.#clear = h("button", { type: "button", "data-action": "clear-key", onclick: events.onClearKey }, texts.t("clearKey"));
    this.showKey(provider.keySet === true);
    return [
      ...(isBuiltIn(name) ? [] : [this.#field("kind", this.#kinds(provider.kind))]),
      this.#field("baseUrl", this.#input("baseUrl", { type: "url", value: provider.baseUrl, required: true, placeholder: "http://127.0.0.1:8080/v1" })),
      this.#field("apiKey", h("div", { class: "row" }, key, this.#clear), wantsKey ? texts.t("keyHint") : texts.t("keyHintOptional")),
      this.#field("model", h("div", { class: "row" }, this.#input("model", { type: "text", value: provider.model, list: "models", spellcheck: "false" }), load), ""),
      list,
      ...(isBuiltIn(name) && provider.kind !== "openai-chat" ? [] : [this.#field("alternate", this.#input("alternate", { type: "checkbox", checked: provider.alternate === true }), texts.t("alternateHint"))]),
    ];
  }

  /** @param {string} chosen */
  #kinds(chosen) {
    const select = h("select", { id: "kind", name: "kind" }, ...Object.entries(KINDS).map(([value, name]) => h("option", { value, selected: value === chosen }, name)));
    this.#inputs.set("kind", select);
    return select;
  }

  /** @param {Provider} provider */
  #numbers(provider) {
    return NUMBERS.map(({ name, ...range }) =>
      this.#field(name, this.#input(name, { type: "number", value: provider[name] ?? "", placeholder: this.texts.t("serverDecides"), ...range }), this.texts.t(`${name}Hint`)),
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
}
