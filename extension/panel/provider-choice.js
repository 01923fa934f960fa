/** Who answers the next question: a choice among the providers that are set up, and their models. */

import { arrange, h, need } from "../lib/dom.js";
import { isUsable, providerLabel, providerName } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Light } from "../lib/settings.js" */
/** @import { Provider } from "../lib/types.js" */

/** @typedef {{name: string, model: string}} Choice model: "" for the provider's own */

const SETTINGS = "settings";

export class ProviderChoice {
  #active = "";
  /** @type {Choice[]} an option's value is its index here */
  #choices = [];

  /**
   * @param {Texts} texts
   * @param {{onChoose: (choice: Choice) => void, onSettings: () => void}} events
   */
  constructor(texts, events) {
    this.texts = texts;
    /** @type {HTMLSelectElement} */
    this.select = need("#provider");
    this.select.addEventListener("change", () => {
      const chosen = this.#choices[Number(this.select.value)];
      if (chosen) return events.onChoose(chosen);
      this.select.value = this.#active;
      events.onSettings();
    });
  }

  /**
   * @param {Light} settings
   * @param {Record<string, unknown>} stored
   */
  show(settings, stored) {
    const { texts } = this;
    const { activeProvider, activeModel, providers } = settings;
    const usable = Object.values(providers).filter((provider) => provider.name === activeProvider || isUsable(provider, stored));
    this.#choices = [];
    const groups = usable.map((provider) => this.#group(provider, provider.name === activeProvider ? activeModel : ""));
    arrange(this.select, [...groups, h("option", { value: SETTINGS }, texts.t("moreProviders"))]);
    const shown = activeModel || providers[activeProvider]?.model || "";
    this.#active = String(this.#choices.findIndex(({ name, model }) => name === activeProvider && (model === shown || model === "")));
    this.select.value = this.#active;
    this.select.hidden = false;
    this.select.title = label(activeProvider, settings, texts);
  }

  /**
   * @param {Provider} provider
   * @param {string} active the model that is in use, where it is not the provider's own
   */
  #group(provider, active) {
    const models = [...new Set([provider.model, active, ...(provider.models ?? [])].filter(Boolean))];
    const options = (models.length > 0 ? models : [""]).map((model) => {
      const value = this.#choices.push({ name: provider.name, model }) - 1;
      return h("option", { value }, models.length > 1 ? model : providerLabel(provider.name, model, this.texts));
    });
    return models.length > 1 ? h("optgroup", { label: providerName(provider.name, this.texts) }, ...options) : /** @type {Node} */ (options[0]);
  }
}

/**
 * @param {string} name
 * @param {Light} settings
 * @param {Texts} texts
 */
export function label(name, settings, texts) {
  const model = (name === settings.activeProvider && settings.activeModel) || settings.providers[name]?.model || "";
  return providerLabel(name, model, texts);
}
