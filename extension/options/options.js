/** The settings page. What it saves lies with the host; keys go to the host's key store and are never read back. */

import * as browser from "../lib/chrome.js";
import { AreaNotice } from "../lib/area-notice.js";
import { arrange, h, need } from "../lib/dom.js";
import { say } from "../lib/error-text.js";
import { HostClient } from "../lib/host-client.js";
import { HostError } from "../lib/host-errors.js";
import { LANGUAGE_NAMES, loadTexts, translatePage } from "../lib/i18n.js";
import { Alert, StatusLine, Trouble } from "../lib/notices.js";
import { BUILT_IN, CUSTOM, providerName } from "../lib/providers.js";
import { applyLook, readSettings, rememberedLook } from "../lib/settings.js";
import { ConversationSettings } from "./conversation-settings.js";
import { Data } from "./data.js";
import { HostSettings } from "./host-settings.js";
import { ProviderForm } from "./provider-form.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Light } from "../lib/settings.js" */
/** @import { HostStatus } from "../lib/types.js" */

const CHOICES = /** @type {const} */ (["theme", "uiLanguage", "sendKey"]);

/** Sections that mean nothing without the host. */
const NEED_HOST = ["who", "talk", "limits", "keeping", "data"];

class Options {
  host = new HostClient({ connect: browser.connectWorker, clock: browser.clock });
  /** @type {Light | null} */
  #settings = null;
  /** @type {string | null} the provider that is being looked at */
  #selected = null;

  /** @param {Texts} texts */
  constructor(texts) {
    this.texts = texts;
    this.status = new StatusLine(need("#status"));
    this.alert = new Alert(need("#alert"), texts);
    this.trouble = new Trouble(need("#trouble"), texts, () => void this.host.request("host.retry").catch((error) => this.#complain(error)));
    this.areaNotice = new AreaNotice(need("#area-notice"), texts, () => void this.host.request("area.accept").catch((error) => this.#complain(error)));
    this.form = new ProviderForm(need("#provider-form"), this.host, texts, { onStart: () => this.alert.clear(), onSaved: (text) => this.#saved(text), onError: (error) => this.#complain(error) });
    need("#uiLanguage").append(...Object.entries(LANGUAGE_NAMES).map(([value, name]) => h("option", { value, lang: value.replace("_", "-") }, name)));
    const guard = (/** @type {() => Promise<void>} */ work) => this.#guard(work);
    this.talk = new ConversationSettings(this.host, texts, (items) => this.#store(items));
    this.own = new HostSettings(this.host, texts, { guard, onSaved: () => this.#saved(texts.t("saved")) });
    this.data = new Data(this.host, texts, { guard });
    for (const name of CHOICES) need(`#${name}`).addEventListener("change", (event) => void this.#store({ [name]: /** @type {HTMLSelectElement} */ (event.target).value }));
    window.addEventListener("beforeunload", (event) => this.form.dirty && event.preventDefault());
  }

  start() {
    this.host.on("host.state", (status) => this.#hostIs(status));
    this.host.on("storage.onChanged", () => void this.#read());
    this.host.start();
  }

  /** @param {HostStatus} status */
  #hostIs(status) {
    this.trouble.show(status);
    this.areaNotice.show(status);
    document.documentElement.dataset.state = status.state;
    for (const id of NEED_HOST) need(`#${id}`).hidden = status.area === "browser";
    if (status.state === "ready" || status.area === "browser") void this.#read();
  }

  async #read() {
    try {
      this.#settings = await readSettings(this.host);
      if (applyLook(this.#settings)) return location.reload();
      this.#show(this.#settings);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @param {Light} settings */
  #show(settings) {
    for (const name of CHOICES) /** @type {HTMLSelectElement} */ (need(`#${name}`)).value = settings[name];
    const shown = this.#selected ?? settings.activeProvider;
    this.#list(settings, shown);
    // A form that somebody is typing into stays as it is.
    if (!this.form.dirty && (this.#selected === null || !need("#provider-form").contains(document.activeElement))) this.form.show(shown, settings);
    need("#settings").hidden = false;
    void this.talk.show(settings).catch((error) => this.#complain(error));
    if (this.host.status.area !== "browser") void this.#guard(() => Promise.all([this.own.read(), this.data.read()]).then(() => {}));
  }

  /**
   * @param {Light} settings
   * @param {string} shown
   */
  #list(settings, shown) {
    const own = Object.keys(settings.providers).filter((name) => !BUILT_IN.some((known) => known.name === name));
    const names = [...BUILT_IN.map((known) => known.name).filter((name) => name === CUSTOM || name in settings.providers), ...own];
    arrange(
      need("#providers"),
      names.map((name) =>
        h(
          "button",
          { type: "button", "data-provider": name, "aria-current": name === shown && "true", onclick: () => this.#select(name) },
          providerName(name, this.texts),
          name === settings.activeProvider && h("span", { class: "used" }, this.texts.t("inUse")),
        ),
      ),
    );
  }

  /** @param {string} name */
  #select(name) {
    if (!this.#settings || name === this.form.name) return;
    if (this.form.dirty && !window.confirm(this.texts.t("leaveUnsaved"))) return;
    this.#selected = name;
    this.alert.clear();
    this.form.show(name, this.#settings);
    this.#list(this.#settings, name);
    /** @type {HTMLElement} */ (need(`[data-provider="${CSS.escape(name)}"]`)).focus();
  }

  /** @param {Record<string, unknown>} items */
  #store(items) {
    return this.#guard(async () => {
      await this.host.request("storage.set", { items });
      this.#saved(this.texts.t("saved"));
    });
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    try {
      await work();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @param {string} text */
  #saved(text) {
    this.alert.clear();
    this.status.pass(text);
    void this.#read();
  }

  /** @param {unknown} error */
  #complain(error) {
    if (error instanceof HostError && error.data.reason && !this.trouble.hidden) return;
    this.alert.show(error instanceof HostError ? say(error, this.texts) : { text: error instanceof Error ? error.message : String(error) });
  }
}

const look = rememberedLook();
applyLook(look);
const texts = await loadTexts(look.uiLanguage, async (path) => (await fetch(browser.url(path))).json());
document.documentElement.lang = texts.language;
translatePage(document, texts);
new Options(texts).start();
