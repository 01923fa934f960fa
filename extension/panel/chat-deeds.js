/** What is done with chats in the drawer: opened, renamed, pinned, moved, exported, deleted, and the deletion undone. */

import { erased } from "./archive-list.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Archive, Session } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */
/** @import { Format } from "./chat-row.js" */
/** @import { DrawerNotes } from "./drawer-notes.js" */

/** What a deletion must know of a chat. @typedef {{id: string, name?: string, pinned?: boolean}} Doomed */

/**
 * @typedef {object} Drawer
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {() => Promise<void>} reload
 * @property {() => void} focus the list, where what had the focus is gone
 * @property {() => void} chosen nothing is chosen any more
 * @property {() => string} current the id of the chat that is live
 * @property {() => void} onOpened another conversation is the live one
 * @property {() => void} close
 */

const ARCHIVES_AT_ONCE = 200;

export class ChatDeeds {
  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {DrawerNotes} notes
   * @param {Drawer} drawer
   */
  constructor(host, texts, notes, drawer) {
    this.host = host;
    this.texts = texts;
    this.notes = notes;
    this.drawer = drawer;
  }

  /** @param {{id: string}} session */
  open({ id }) {
    return this.drawer.guard(async () => {
      await this.host.request("sessions.load", { id });
      this.drawer.close();
      this.drawer.onOpened();
    });
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  rename(id, name) {
    return this.#change(() => this.host.request("sessions.rename", { id, name }));
  }

  /**
   * @param {string[]} ids
   * @param {boolean} pinned
   */
  pin(ids, pinned) {
    return this.#change(() => Promise.all(ids.map((id) => this.host.request("sessions.pin", { id, pinned }))));
  }

  /**
   * @param {string[]} ids
   * @param {string | null} folder
   */
  move(ids, folder) {
    return this.#change(() => Promise.all(ids.map((id) => this.host.request("sessions.move", { id, folder }))));
  }

  /**
   * @param {Session} session
   * @param {Format} format
   */
  export({ id }, format) {
    const { texts } = this;
    return this.drawer.guard(async () => {
      this.notes.say(texts.t("working"));
      const { file, bytes } = await this.host.request("transfer.export", { what: [id], format });
      await this.drawer.reload();
      this.notes.say(texts.t("exported", { file, size: texts.bytes(bytes) }));
      this.drawer.focus();
    });
  }

  /**
   * @param {Doomed[]} sessions
   * @param {{forGood: boolean}} how
   */
  delete(sessions, { forGood }) {
    const ids = sessions.map(({ id }) => id);
    return this.drawer.guard(async () => {
      const open = ids.includes(this.drawer.current());
      // The open chat is put away first: left on screen, it would become a saved chat again with the next question.
      if (open) await this.host.request("history.clear");
      const { backups = [] } = await this.host.request("sessions.delete", { ids, ...(forGood ? { forGood } : {}) });
      this.drawer.chosen();
      await this.drawer.reload();
      if (forGood) this.notes.say(erased(this.texts, backups));
      else this.#offerUndo(sessions);
      this.drawer.focus();
      if (open) this.drawer.onOpened();
    });
  }

  /** @param {Doomed[]} sessions */
  #offerUndo(sessions) {
    const { texts } = this;
    const [first] = sessions;
    const said = sessions.length === 1 && first?.name ? texts.t("deleted", { name: first.name }) : texts.plural("deletedChats", sessions.length);
    this.notes.say(said, { label: texts.t("undo"), action: "undo-delete", run: () => void this.#undo(sessions) });
  }

  /** Out of the archive again, pinned where it was. @param {Doomed[]} sessions */
  #undo(sessions) {
    return this.drawer.guard(async () => {
      this.notes.say("");
      const archives = await this.#archivesOf(new Set(sessions.map(({ id }) => id)));
      const pinned = new Set(sessions.filter((session) => session.pinned).map(({ id }) => id));
      // The one that was deleted last comes first there.
      for (const { id, chat } of archives.reverse()) {
        const restored = await this.host.request("archive.restore", { id });
        if (pinned.has(String(chat))) await this.host.request("sessions.pin", { id: restored.id, pinned: true });
      }
      await this.drawer.reload();
      this.notes.say(this.texts.plural("undone", archives.length));
      this.drawer.focus();
    });
  }

  /**
   * @param {Set<string>} chats ids
   * @returns {Promise<Archive[]>}
   */
  async #archivesOf(chats) {
    /** @type {Archive[]} */
    const found = [];
    for (let offset = 0; found.length < chats.size; offset += ARCHIVES_AT_ONCE) {
      const { archives, total } = await this.host.request("archive.list", { reason: "deleted", limit: ARCHIVES_AT_ONCE, offset });
      found.push(...archives.filter(({ chat, part }) => part === "chat" && chat && chats.has(chat)));
      if (offset + archives.length >= total) break;
    }
    return found;
  }

  /** @param {() => Promise<unknown>} request */
  #change(request) {
    return this.drawer.guard(async () => {
      await request();
      await this.drawer.reload();
      this.drawer.focus();
    });
  }
}
