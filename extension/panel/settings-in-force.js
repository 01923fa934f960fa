/** What the person has set, as the panel shows it and goes by it: read anew whenever some of it may have changed. */

import { readPrompts } from "../lib/prompts.js";
import { OFFLINE } from "../lib/providers.js";
import { applyLook, readSettings, storedProviders } from "../lib/settings.js";
import { label } from "./provider-choice.js";

/** @import { Light } from "../lib/settings.js" */
/** @import { App } from "./app.js" */

export class SettingsInForce {
  /** @param {App} panel */
  constructor(panel) {
    this.panel = panel;
  }

  async read() {
    const { host, texts, composer, choice, hostNotices, welcome, status: line } = this.panel;
    const settings = await readSettings(host);
    if (applyLook(settings)) return location.reload(); // what is typed is kept, the rest is the host's
    composer.sendKey = settings.sendKey;
    if (host.status.area === "browser") return; // nobody can answer yet
    const [stored, status, prompts] = await Promise.all([storedProviders(host), host.request("status"), readPrompts(host, texts)]);
    composer.prompts.set(prompts);
    choice.show(settings, stored);
    hostNotices.show(status.notices);
    const offline = settings.activeProvider === OFFLINE;
    const modelMissing = offline && status.model.installed === false;
    welcome.set({ offline, modelMissing });
    line.stand(this.#standing(settings, modelMissing));
  }

  readSoon() {
    void this.read().catch((error) => this.panel.complain(error));
  }

  /** Who answers from now on. @param {{name: string, model: string}} choice */
  async choose({ name, model }) {
    try {
      await this.panel.host.request("storage.set", { items: { activeProvider: name, activeModel: model } });
      await this.read();
    } catch (error) {
      this.panel.complain(error);
    }
  }

  /**
   * What the status line says when nothing has just happened.
   * @param {Light} settings
   * @param {boolean} modelMissing
   */
  #standing(settings, modelMissing) {
    const { host, texts } = this.panel;
    const version = host.status.hello?.version ?? "";
    if (modelMissing) return texts.t("statusNoWeights", { version });
    if (settings.activeProvider === OFFLINE) return texts.t("statusOffline", { version });
    return texts.t("statusReady", { version, who: label(settings.activeProvider, settings, texts) });
  }
}
