/** The drawer with the saved chats: folders, days, search, choosing several, the archive. A dialog: the focus goes back when it closes. */

import { h, need } from "../lib/dom.js";
import { ArchiveList, erased } from "./archive-list.js";
import { grouped } from "./chat-groups.js";
import { chatRow } from "./chat-row.js";
import { Folders } from "./folders.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Session, SessionsSessionList } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */
/** @import { RowMeans } from "./chat-row.js" */

const PAGE = 50;
const SEARCH_PAUSE_MS = 200;

/**
 * @typedef {object} ChatsEvents
 * @property {() => void} onOpened a chat has become the live conversation
 * @property {(error: unknown) => string} say an error as a person reads it
 */

export class Chats {
  /** @type {Session[]} */
  #sessions = [];
  /** @type {Set<string> | null} ids of chosen chats; null while nothing is being chosen */
  #chosen = null;
  #current = "";
  /** Of the newest question to the host: an answer to an older one is late and not shown. */
  #asked = 0;
  #pause = 0;

  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {ChatsEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
    /** @type {HTMLDialogElement} */
    this.dialog = need("#chats");
    this.list = need("#chats-list");
    /** @type {HTMLInputElement} */
    this.search = need("#chats-search");
    const guard = (/** @type {() => Promise<void>} */ work) => this.#guard(work);
    this.folders = new Folders(host, texts, { guard, rows: (sessions) => this.#rows(sessions), onMoved: (id, folder) => this.#move([id], folder), onChanged: () => this.#reload() });
    this.archive = new ArchiveList(host, texts, { guard, say: (text) => this.#say(text) });
    this.#listen();
  }

  #listen() {
    const run = {
      "close-chats": () => this.dialog.close(),
      "more-chats": () => this.#guard(() => this.#load(this.#sessions.length)),
      "choose-chats": () => this.#choose(this.#chosen === null),
      "new-folder": () => this.folders.askNew(),
      archive: () => this.#showArchive({}),
      "back-to-chats": () => this.#showChats(),
      "chosen-pin": () => this.#each((id) => this.host.request("sessions.pin", { id, pinned: true })),
      "chosen-delete": () => this.#askDeleteChosen(),
    };
    for (const [action, work] of Object.entries(run)) need(`[data-action="${action}"]`).addEventListener("click", () => void work());
    need("#chosen-folder").addEventListener("change", (event) => void this.#moveChosen(/** @type {HTMLSelectElement} */ (event.target)));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.search.addEventListener("input", () => {
      clearTimeout(this.#pause);
      this.#pause = window.setTimeout(() => void this.#reload(), SEARCH_PAUSE_MS);
    });
  }

  /** @param {string} current the id of the chat that is live */
  async open(current) {
    this.#current = current;
    this.search.value = "";
    this.#choose(false);
    this.#sessions = [];
    this.list.replaceChildren();
    this.dialog.showModal();
    await this.#showChats();
  }

  async #showChats() {
    this.dialog.dataset.view = "chats";
    await this.#reload();
    const list = /** @type {HTMLElement | null} */ (this.list.querySelector("button"));
    if (document.activeElement?.closest("#chats-list, .row") === null) list?.focus();
  }

  /** @param {{query?: string, evicted?: boolean}} filter */
  #showArchive(filter) {
    this.dialog.dataset.view = "archive";
    return this.#guard(() => this.archive.show(filter));
  }

  #reload() {
    return this.#guard(async () => {
      this.#say("");
      await Promise.all([this.folders.read(), this.#load(0)]);
    });
  }

  /** @param {number} offset */
  async #load(offset) {
    this.#asked += 1;
    const asked = this.#asked;
    const query = this.search.value.trim();
    this.list.setAttribute("aria-busy", "true");
    const found = await this.host.request("sessions.list", { limit: PAGE, offset, ...(query ? { query } : {}) });
    if (asked !== this.#asked) return;
    this.#sessions = [...this.#sessions.slice(0, offset), ...found.sessions];
    this.#render();
    this.#tell(found, query);
  }

  #render() {
    this.list.setAttribute("aria-busy", "false");
    if (this.search.value.trim()) this.list.replaceChildren(h("ul", {}, ...this.#rows(this.#sessions)));
    else this.list.replaceChildren(...this.folders.sections(), ...grouped(this.#sessions, Date.now()).map(({ group, sessions }) => this.#group(group, sessions)));
  }

  /**
   * @param {string} group
   * @param {Session[]} sessions
   */
  #group(group, sessions) {
    const id = `group-${group}`;
    return h("section", { "aria-labelledby": id }, h("h3", { id }, this.texts.t(`group_${group}`)), h("ul", {}, ...this.#rows(sessions)));
  }

  /**
   * What is there beside the list.
   * @param {SessionsSessionList} found
   * @param {string} query
   */
  #tell({ total, archivedMatches, evicted }, query) {
    const { texts } = this;
    /** @type {HTMLElement} */ (need('[data-action="more-chats"]')).hidden = this.#sessions.length >= total;
    if (total === 0) this.#say(query ? texts.t("noMatch", { query }) : texts.t("noChats"));
    const lines = [];
    if (archivedMatches > 0) lines.push(this.#line(texts.plural("archivedMatches", archivedMatches), { query }));
    if (!query && evicted.chats > 0) lines.push(this.#line(texts.plural("evictedChats", evicted.chats), { evicted: true }));
    if (!query && evicted.messages > 0) lines.push(this.#line(texts.plural("evictedMessages", evicted.messages), { evicted: true }));
    need("#chats-archived").replaceChildren(...lines);
  }

  /**
   * @param {string} text
   * @param {{query?: string, evicted?: boolean}} filter
   */
  #line(text, filter) {
    return h("p", {}, text, " ", h("button", { type: "button", class: "quiet", "data-action": "show-archived", onclick: () => this.#showArchive(filter) }, this.texts.t("show")));
  }

  /** @param {Session[]} sessions */
  #rows(sessions) {
    /** @type {RowMeans} */
    const means = {
      texts: this.texts,
      current: this.#current,
      folders: this.folders.all,
      words: this.search.value.trim().split(/\s+/).filter(Boolean),
      chosen: this.#chosen,
      onOpen: (session) => this.#open(session),
      onRename: (session, name) => this.#change(() => this.host.request("sessions.rename", { id: session.id, name })),
      onPin: (session, pinned) => this.#change(() => this.host.request("sessions.pin", { id: session.id, pinned })),
      onMove: (session, folder) => this.#move([session.id], folder),
      onDelete: (session, how) => this.#delete([session], how),
      onChoose: (session, chosen) => this.#mark(session, chosen),
    };
    return sessions.map((session) => chatRow(session, means));
  }

  /** @param {Session} session */
  #open(session) {
    return this.#guard(async () => {
      await this.host.request("sessions.load", { id: session.id });
      this.dialog.close();
      this.events.onOpened();
    });
  }

  /** @param {() => Promise<unknown>} request */
  #change(request) {
    return this.#guard(async () => {
      await request();
      await this.#reload();
      this.#focusList();
    });
  }

  /**
   * @param {string[]} ids
   * @param {string | null} folder
   */
  #move(ids, folder) {
    return this.#change(() => Promise.all(ids.map((id) => this.host.request("sessions.move", { id, folder }))));
  }

  /**
   * @param {{id: string, name?: string}[]} sessions
   * @param {{forGood: boolean}} how
   */
  #delete(sessions, { forGood }) {
    const ids = sessions.map(({ id }) => id);
    return this.#guard(async () => {
      const open = ids.includes(this.#current);
      // The open chat is put away first: left on screen, it would become a saved chat again with the next question.
      if (open) await this.host.request("history.clear");
      const { backups = [] } = await this.host.request("sessions.delete", { ids, ...(forGood ? { forGood } : {}) });
      this.#choose(false);
      await this.#reload();
      if (forGood) this.#say(erased(this.texts, backups));
      else this.#say(sessions.length === 1 && sessions[0]?.name ? this.texts.t("deleted", { name: sessions[0].name }) : this.texts.plural("deletedChats", ids.length));
      this.#focusList();
      if (open) this.events.onOpened();
    });
  }

  // Choosing several

  /** @param {boolean} choosing */
  #choose(choosing) {
    this.#chosen = choosing ? new Set() : null;
    need('[data-action="choose-chats"]').setAttribute("aria-pressed", String(choosing));
    this.#tellChosen();
    this.#render();
  }

  /**
   * @param {Session} session
   * @param {boolean} chosen
   */
  #mark({ id }, chosen) {
    if (chosen) this.#chosen?.add(id);
    else this.#chosen?.delete(id);
    this.#tellChosen();
  }

  #tellChosen() {
    const count = this.#chosen?.size ?? 0;
    need("#chosen").hidden = this.#chosen === null;
    need("#chosen-count").textContent = this.texts.plural("chosen", count);
    for (const control of need("#chosen").querySelectorAll("button, select")) /** @type {HTMLButtonElement} */ (control).disabled = count === 0;
    this.folders.fill(need("#chosen-folder"));
  }

  /** @param {(id: string) => Promise<unknown>} request */
  #each(request) {
    const ids = [...(this.#chosen ?? [])];
    return this.#change(async () => {
      await Promise.all(ids.map(request));
      this.#choose(false);
    });
  }

  /** @param {HTMLSelectElement} select its first option names the deed */
  #moveChosen(select) {
    const folder = select.value;
    select.selectedIndex = 0;
    return this.#each((id) => this.host.request("sessions.move", { id, folder: folder || null }));
  }

  #askDeleteChosen() {
    const ids = [...(this.#chosen ?? [])];
    const { texts } = this;
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-delete", onclick: () => this.#delete(ids.map((id) => ({ id })), { forGood: false }) }, texts.t("delete"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => this.#say("") }, texts.t("keep"));
    need("#chats-note").replaceChildren(texts.plural("deleteChatsAsk", ids.length), " ", yes, no);
    no.focus();
  }

  /** What had the focus may have gone with its row. */
  #focusList() {
    if (document.activeElement !== document.body && document.activeElement !== this.dialog) return;
    const first = /** @type {HTMLElement | null} */ (this.list.querySelector("button") ?? this.dialog.querySelector("button"));
    first?.focus();
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    try {
      await work();
    } catch (error) {
      this.list.setAttribute("aria-busy", "false");
      this.#say(this.events.say(error));
    }
  }

  /** @param {string} text */
  #say(text) {
    need("#chats-note").textContent = text;
  }
}
