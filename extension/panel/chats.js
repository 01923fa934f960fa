/** The drawer with the saved chats: folders, days, search, choosing several, the archive. A dialog: the focus goes back when it closes. */

import { h, need } from "../lib/dom.js";
import { ArchiveList, erased } from "./archive-list.js";
import { grouped } from "./chat-groups.js";
import { chatRow } from "./chat-row.js";
import { CheckpointList } from "./checkpoint-list.js";
import { ChosenChats } from "./chosen-chats.js";
import { DrawerNotes } from "./drawer-notes.js";
import { Folders } from "./folders.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Session } from "../lib/protocol.js" */
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
  #current = "";
  /** Of the newest question to the host: an answer to an older one is late and not shown. */
  #asked = 0;
  #pause = 0;
  /** How much is being done here. */
  #working = 0;

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
    this.notes = new DrawerNotes(texts, (filter) => void this.#showArchive(filter));
    const guard = (/** @type {() => Promise<void>} */ work) => this.#guard(work);
    this.folders = new Folders(host, texts, { guard, rows: (sessions) => this.#rows(sessions), onMoved: (id, folder) => this.#move([id], folder), onChanged: () => this.#reload() });
    this.archive = new ArchiveList(host, texts, { guard, say: (text) => this.notes.say(text) });
    this.checkpoints = new CheckpointList(host, texts, { guard, say: (text) => this.notes.say(text), onRestored: (session) => this.#open(session) });
    this.chosen = new ChosenChats(texts, {
      onToggle: () => this.#render(),
      onPin: (ids) => this.#each(ids, (id) => host.request("sessions.pin", { id, pinned: true })),
      onMove: (ids, folder) => this.#each(ids, (id) => host.request("sessions.move", { id, folder })),
      onDelete: (ids) => this.#delete(ids.map((id) => ({ id })), { forGood: false }),
      fill: (select) => this.folders.fill(select),
    });
    this.#listen();
  }

  #listen() {
    const run = {
      "close-chats": () => this.dialog.close(),
      "more-chats": () => this.#guard(() => this.#load(this.#sessions.length)),
      "new-folder": () => this.folders.askNew(),
      archive: () => this.#showArchive({}),
      "back-to-chats": () => this.#showChats(),
    };
    for (const [action, work] of Object.entries(run)) need(`[data-action="${action}"]`).addEventListener("click", () => void work());
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
    this.#sessions = [];
    this.chosen.choose(false);
    this.list.replaceChildren();
    this.dialog.showModal();
    await this.#showChats();
  }

  /** The chats have changed, by another's hand: what is done here is followed by a reading of its own. */
  async changed() {
    if (this.#inHand) return;
    try {
      await Promise.all([this.folders.read(), this.#load(0, { quiet: true })]);
    } catch (error) {
      this.notes.say(this.events.say(error));
    }
  }

  /** Whether a new list would take something out of a person's hand, or nobody looks at it. */
  get #inHand() {
    return this.#working > 0 || !this.dialog.open || this.dialog.dataset.view !== "chats" || this.dialog.querySelector(".ask, :popover-open") !== null;
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
      this.notes.say("");
      await Promise.all([this.folders.read(), this.#load(0)]);
    });
  }

  /**
   * @param {number} offset
   * @param {{quiet?: boolean}} [how] quiet: the list stays as it is where nothing is new, or a person is about to do something with it
   */
  async #load(offset, { quiet = false } = {}) {
    this.#asked += 1;
    const asked = this.#asked;
    const query = this.search.value.trim();
    if (!quiet) this.list.setAttribute("aria-busy", "true");
    const found = await this.host.request("sessions.list", { limit: PAGE, offset, ...(query ? { query } : {}) });
    if (asked !== this.#asked || (quiet && (this.#inHand || JSON.stringify(found.sessions) === JSON.stringify(this.#sessions)))) return;
    this.#sessions = [...this.#sessions.slice(0, offset), ...found.sessions];
    this.#render();
    /** @type {HTMLElement} */ (need('[data-action="more-chats"]')).hidden = this.#sessions.length >= found.total;
    this.notes.tell(found, query);
  }

  #render() {
    const focused = this.#focused();
    this.list.setAttribute("aria-busy", "false");
    if (this.search.value.trim()) this.list.replaceChildren(h("ul", {}, ...this.#rows(this.#sessions)));
    else this.list.replaceChildren(...this.folders.sections(), ...grouped(this.#sessions, Date.now()).map(({ group, sessions }) => this.#group(group, sessions)));
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(focused))?.focus();
  }

  /** @returns {string} a selector of the button that has the focus, in whichever row: rows are made anew */
  #focused() {
    const button = /** @type {HTMLElement | null} */ (document.activeElement?.closest("#chats-list button"));
    const id = /** @type {HTMLElement | null} */ (button?.closest("[data-session-id]"))?.dataset.sessionId;
    return id ? `[data-session-id="${CSS.escape(id)}"] [data-action="${button?.dataset.action}"]` : "";
  }

  /**
   * @param {string} group
   * @param {Session[]} sessions
   */
  #group(group, sessions) {
    const id = `group-${group}`;
    return h("section", { "aria-labelledby": id }, h("h3", { id }, this.texts.t(`group_${group}`)), h("ul", {}, ...this.#rows(sessions)));
  }

  /** @param {Session[]} sessions */
  #rows(sessions) {
    /** @type {RowMeans} */
    const means = {
      texts: this.texts,
      current: this.#current,
      folders: this.folders.all,
      words: this.search.value.trim().split(/\s+/).filter(Boolean),
      chosen: this.chosen.ids,
      onOpen: (session) => this.#open(session),
      onRename: (session, name) => this.#change(() => this.host.request("sessions.rename", { id: session.id, name })),
      onPin: (session, pinned) => this.#change(() => this.host.request("sessions.pin", { id: session.id, pinned })),
      onMove: (session, folder) => this.#move([session.id], folder),
      onDelete: (session, how) => this.#delete([session], how),
      onChoose: (session, chosen) => this.chosen.mark(session.id, chosen),
      onCheckpoints: (session, row, onClose) => void this.checkpoints.show(row, session, onClose),
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
   * @param {string[]} ids of chats that were chosen
   * @param {(id: string) => Promise<unknown>} request
   */
  #each(ids, request) {
    return this.#change(async () => {
      await Promise.all(ids.map(request));
      this.chosen.choose(false);
    });
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
      this.chosen.choose(false);
      await this.#reload();
      if (forGood) this.notes.say(erased(this.texts, backups));
      else this.notes.say(sessions.length === 1 && sessions[0]?.name ? this.texts.t("deleted", { name: sessions[0].name }) : this.texts.plural("deletedChats", ids.length));
      this.#focusList();
      if (open) this.events.onOpened();
    });
  }

  /** What had the focus may have gone with its row. */
  #focusList() {
    if (document.activeElement !== document.body && document.activeElement !== this.dialog) return;
    const first = /** @type {HTMLElement | null} */ (this.list.querySelector("button") ?? this.dialog.querySelector("button"));
    first?.focus();
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    this.#working += 1;
    try {
      await work();
    } catch (error) {
      this.list.setAttribute("aria-busy", "false");
      this.notes.say(this.events.say(error));
    } finally {
      this.#working -= 1;
    }
  }
}
