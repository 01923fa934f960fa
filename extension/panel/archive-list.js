/** The archive: what was deleted, cleared, or made room, each with why, to be given back or erased. */

import { h, need } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Archive } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

const PAGE = 50;

/**
 * @typedef {object} ArchiveEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {(text: string) => void} say
 */

export class ArchiveList {
  /** @type {Archive[]} */
  #archives = [];
  /** @type {{query?: string, evicted?: boolean}} */
  #filter = {};

  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {ArchiveEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
    this.list = need("#archive-list");
    /** @type {HTMLButtonElement} */
    this.more = need('[data-action="more-archives"]');
    this.more.addEventListener("click", () => void events.guard(() => this.#load(this.#archives.length)));
  }

  /** @param {{query?: string, evicted?: boolean}} filter evicted: only what limits have taken */
  async show(filter) {
    this.#filter = filter;
    await this.#load(0);
    /** @type {HTMLElement | null} */ (this.list.querySelector("button"))?.focus();
  }

  /** @param {number} offset */
  async #load(offset) {
    const { archives, total } = await this.host.request("archive.list", { ...this.#filter, limit: PAGE, offset });
    this.#archives = [...this.#archives.slice(0, offset), ...archives];
    this.list.replaceChildren(...this.#archives.map((archive) => this.#row(archive)));
    this.more.hidden = this.#archives.length >= total;
    this.events.say(total === 0 ? this.texts.t("archiveEmpty") : "");
  }

  /** @param {Archive} archive */
  #row(archive) {
    const { texts } = this;
    const name = archive.name || texts.t("unnamed");
    const why = archive.evicted ? "evicted" : archive.part === "chat" ? archive.reason : archive.part;
    const about = `${texts.t(`why_${why}`)} · ${texts.date(archive.archivedAt)} · ${texts.plural("messages", archive.messages)}`;
    const row = h("li", { "data-archive-id": archive.id });
    row.append(
      h("div", { class: "open" }, h("span", { class: "title" }, name), h("span", { class: "about" }, about)),
      h("button", { type: "button", "data-action": "restore-archive", "aria-label": texts.t("restoreNamed", { name }), onclick: () => this.#restore(archive) }, texts.t("restore")),
      h("button", { type: "button", class: "quiet", "data-action": "erase-archive", "aria-label": texts.t("eraseNamed", { name }), title: texts.t("eraseNamed", { name }), onclick: () => this.#askErase(row, archive, name) }, named("remove")),
    );
    return row;
  }

  /** @param {Archive} archive */
  #restore(archive) {
    return this.events.guard(async () => {
      const { name } = await this.host.request("archive.restore", { id: archive.id });
      await this.#load(0);
      this.events.say(this.texts.t("restored", { name }));
    });
  }

  /**
   * @param {HTMLElement} row
   * @param {Archive} archive
   * @param {string} name
   */
  #askErase(row, archive, name) {
    const { texts } = this;
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-erase", onclick: () => this.#erase(archive) }, texts.t("erase"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => row.replaceWith(this.#row(archive)) }, texts.t("keep"));
    row.replaceChildren(h("div", { class: "ask" }, h("p", {}, texts.t("eraseAsk", { name })), yes, no));
    no.focus();
  }

  /** @param {Archive} archive */
  #erase(archive) {
    return this.events.guard(async () => {
      const { backups } = await this.host.request("archive.purge", { ids: [archive.id] });
      await this.#load(0);
      this.events.say(erased(this.texts, backups));
    });
  }
}

/**
 * What was erased may still lie in backups, and a person must know where.
 * @param {Texts} texts
 * @param {string[]} backups
 */
export function erased(texts, backups) {
  return backups.length === 0 ? texts.t("erased") : texts.plural("erasedButBackups", backups.length, { files: backups.join(", ") });
}
