/** What the drawer says beside its list: what has just been done, what is not found, and what lies in the archive. */

import { h, need } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Choice } from "../lib/menu.js" */
/** @import { SessionsSessionList } from "../lib/protocol.js" */

export class DrawerNotes {
  /**
   * @param {Texts} texts
   * @param {(filter: {query?: string, evicted?: boolean}) => void} onArchive a person wants to see that part of the archive
   */
  constructor(texts, onArchive) {
    this.texts = texts;
    this.onArchive = onArchive;
    this.note = need("#chats-note");
  }

  /**
   * @param {string} text
   * @param {Choice} [choice] what can be done about it
   */
  say(text, choice) {
    this.note.replaceChildren(text);
    if (choice) this.note.append(" ", h("button", { type: "button", "data-action": choice.action, onclick: choice.run }, choice.label));
  }

  /**
   * @param {SessionsSessionList} found
   * @param {string} query
   */
  tell({ total, archivedMatches, evicted }, query) {
    const { texts } = this;
    if (total === 0) this.say(query ? texts.t("noMatch", { query }) : texts.t("noChats"));
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
    return h("p", {}, text, " ", h("button", { type: "button", class: "quiet", "data-action": "show-archived", onclick: () => this.onArchive(filter) }, this.texts.t("show")));
  }
}
