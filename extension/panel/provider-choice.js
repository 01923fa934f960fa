/** Who answers the next question: a choice among the providers that are set up. */

import { arrange, h, need } from "../lib/dom.js";
import { isUsable, providerLabel } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Light } from "../lib/settings.js" */

const SETTINGS = " settings";

export class ProviderChoice {
  #active = "";

  /**
   * @param {Texts} texts
   * @param {{onChoose: (name: string) => void, onSettings: () => void}} events
   */
  constructor(texts, events) {
    this.texts = texts;
    /** @type {HTMLSelectElement} */
    this.select = need("#provider");
    this.select.addEventListener("change", () => {
      const chosen = this.select.value;
      if (chosen !== SETTINGS) return events.onChoose(chosen);
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
    this.#active = settings.activeProvider;
    const usable = Object.values(settings.providers).filter((provider) => provider.name === this.#active || isUsable(provider, stored));
    const options = usable.map((provider) => h("option", { value: provider.name }, label(provider.name, settings, texts)));
    arrange(this.select, [...options, h("option", { value: SETTINGS }, texts.t("moreProviders"))]);
    this.select.value = this.#active;
    this.select.hidden = false;
    this.select.title = label(this.#active, settings, texts);
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
