/** The drawer with the saved chats: folders, days, search, choosing several, the archive. A dialog: the focus goes back when it closes. */

import { h, need } from "../lib/dom.js";
import { ArchiveList } from "./archive-list.js";
import { ChatDeeds } from "./chat-deeds.js";
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
    this.deeds = new ChatDeeds(host, texts, this.notes, {
      guard,
      reload: () => this.#reload(),
      focus: () => this.#focusList(),
      chosen: () => this.chosen.choose(false),
      current: () => this.#current,
      onOpened: events.onOpened,
      close: () => this.dialog.close(),
    });
    this.folders = new Folders(host, texts, { guard, rows: (sessions) => this.#rows(sessions), onMoved: (id, folder) => this.deeds.move([id], folder), onChanged: () => this.#reload() });
    this.archive = new ArchiveList(host, texts, { guard, say: (text) => this.notes.say(text) });
    this.checkpoints = new CheckpointList(host, texts, { guard, say: (text) => this.notes.say(text), onRestored: (session) => this.deeds.open(session) });
    this.chosen = new ChosenChats(texts, {
      onToggle: () => this.#render(),
      onPin: (ids) => this.deeds.pin(ids, true).then(() => this.chosen.choose(false)),
      onMove: (ids, folder) => this.deeds.move(ids, folder).then(() => this.chosen.choose(false)),
      onDelete: (ids) => this.deeds.delete(this.#known(ids), { forGood: false }),
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

  /** @param {string[]} ids of chats, some of which may stand in a folder that is not open */
  #known(ids) {
    return ids.map((id) => this.#sessions.find((session) => session.id === id) ?? { id });
  }

  /** @param {"chats" | "archive"} view */
  #turn(view) {
    this.dialog.dataset.view = view;
    need("#chats-title").textContent = this.texts.t(view);
  }

  async #showChats() {
    this.#turn("chats");
    await this.#reload();
    const list = /** @type {HTMLElement | null} */ (this.list.querySelector("button"));
    if (document.activeElement?.closest("#chats-list, .row") === null) list?.focus();
  }

  /** @param {{query?: string, evicted?: boolean}} filter */
  #showArchive(filter) {
    this.#turn("archive");
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
      onOpen: (session) => this.deeds.open(session),
      onRename: ({ id }, name) => this.deeds.rename(id, name),
      onPin: ({ id }, pinned) => this.deeds.pin([id], pinned),
      onMove: ({ id }, folder) => this.deeds.move([id], folder),
      onExport: (session, format) => this.deeds.export(session, format),
      onDelete: (session, how) => this.deeds.delete([session], how),
      onChoose: (session, chosen) => this.chosen.mark(session.id, chosen),
      onCheckpoints: (session, row, onClose) => void this.checkpoints.show(row, session, onClose),
    };
    return sessions.map((session) => chatRow(session, means));
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
