/** The host's own settings that a panel may set: limits, with what they would take shown first; backups; the proxy. */

import { h, need } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Evict, SettingsInForce } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

const LIMITS = ["limits.folders", "limits.chats", "limits.messages", "archive.expireDays"];
const OTHERS = ["backup.enabled", "backup.daily", "backup.weekly", "compact.automatic", "title.automatic", "network.proxy"];
/** So many chats are named when a limit would take them. */
const NAMED = 5;

/**
 * @typedef {object} HostSettingsEvents
 * @property {() => void} onSaved
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 */

export class HostSettings {
  /** @type {SettingsInForce | null} */
  #known = null;

  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {HostSettingsEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
    need("#limits-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void events.guard(() => this.#saveLimits());
    });
    for (const key of OTHERS) field(key).addEventListener("change", () => void events.guard(() => this.#save({ [key]: valueOf(key) })));
  }

  async read() {
    this.#show(await this.host.request("settings.get"));
  }

  /** @param {SettingsInForce} inForce */
  #show(inForce) {
    this.#known = inForce;
    for (const key of [...LIMITS, ...OTHERS]) {
      const input = field(key);
      const fixed = inForce.source[key] === "file";
      input.disabled = fixed;
      input.title = fixed ? this.texts.t("setInFile") : "";
      if (input.type === "checkbox") input.checked = inForce.settings[key] === true;
      else if (document.activeElement !== input) input.value = String(inForce.settings[key] ?? "");
    }
    this.#showPending(inForce.pending);
  }

  /** A limit that was lowered in the file waits here for a yes. @param {Record<string, number>} pending */
  #showPending(pending) {
    const entries = Object.entries(pending);
    const place = need("#limits-pending");
    place.hidden = entries.length === 0;
    if (entries.length === 0) return place.replaceChildren();
    const confirm = h("button", { type: "button", "data-action": "confirm-pending", onclick: () => void this.events.guard(() => this.#askLimits(pending)) }, this.texts.t("lookAtIt"));
    place.replaceChildren(h("p", {}, this.texts.t("limitsWait", { limits: entries.map(([key, value]) => `${key} = ${value}`).join(", ") })), confirm);
  }

  async #saveLimits() {
    const form = /** @type {HTMLFormElement} */ (need("#limits-form"));
    if (!form.reportValidity()) throw new Error(this.texts.t("mendFields"));
    const changed = Object.fromEntries(LIMITS.filter((key) => !field(key).disabled && valueOf(key) !== this.#known?.settings[key]).map((key) => [key, valueOf(key)]));
    if (Object.keys(changed).length > 0) await this.#askLimits(changed);
  }

  /** @param {Record<string, unknown>} limits */
  async #askLimits(limits) {
    const { evict } = await this.host.request("settings.preview", { settings: limits });
    if (evict.chats.length === 0 && evict.messages === 0) return this.#save(limits);
    const { texts } = this;
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-limits", onclick: () => void this.events.guard(() => this.#save(limits)) }, texts.t("archiveThem"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => void this.events.guard(() => this.read().then(() => this.#clear())) }, texts.t("keep"));
    need("#limits-preview").replaceChildren(...this.#sentences(evict), h("div", { class: "buttons" }, yes, no));
    no.focus();
  }

  /** @param {Evict} evict */
  #sentences({ chats, messages }) {
    const { texts } = this;
    const names = chats.slice(0, NAMED).map(({ name }) => h("li", {}, name));
    return [
      ...(chats.length > 0 ? [h("p", {}, texts.plural("wouldArchiveChats", chats.length)), h("ul", {}, ...names)] : []),
      ...(messages > 0 ? [h("p", {}, texts.plural("wouldArchiveMessages", messages))] : []),
    ];
  }

  #clear() {
    need("#limits-preview").replaceChildren();
  }

  /** @param {Record<string, unknown>} settings */
  async #save(settings) {
    this.#show(await this.host.request("settings.set", { settings }));
    this.#clear();
    this.events.onSaved();
  }
}

/**
 * @param {string} key
 * @returns {HTMLInputElement}
 */
function field(key) {
  return need(`[name="${key}"]`);
}

/** @param {string} key */
function valueOf(key) {
  const { type, checked, value } = field(key);
  if (type === "checkbox") return checked;
  return type === "number" ? Number(value) : value;
}
