/** The list of saved chats: open, rename, delete. A dialog: Escape closes it and the focus goes back to where it was. */

import { arrange, h, need } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Session } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

const PAGE = 50;

/**
 * @typedef {object} ChatsEvents
 * @property {() => void} onOpened a chat has become the live conversation
 * @property {(error: unknown) => string} say an error as a person reads it
 */

export class Chats {
  /** @type {Session[]} */
  #sessions = [];
  #total = 0;
  #current = "";

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
    this.note = need("#chats-note");
    /** @type {HTMLButtonElement} */
    this.more = need('[data-action="more-chats"]');
    this.more.addEventListener("click", () => this.#guard(() => this.#load(this.#sessions.length)));
    need('[data-action="close-chats"]').addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {string} current the id of the chat that is live */
  async open(current) {
    this.#current = current;
    this.#say("");
    this.#sessions = [];
    this.list.replaceChildren();
    this.dialog.showModal();
    await this.#guard(() => this.#load(0));
    /** @type {HTMLElement | null} */ (this.list.querySelector("button"))?.focus();
  }

  /** @param {number} offset */
  async #load(offset) {
    const { sessions, total } = await this.host.request("sessions.list", { limit: PAGE, offset });
    this.#sessions = [...this.#sessions.slice(0, offset), ...sessions];
    this.#total = total;
    this.#render();
    if (total === 0) this.#say(this.texts.t("noChats"));
  }

  #render() {
    arrange(
      this.list,
      this.#sessions.map((session) => this.#row(session)),
    );
    this.more.hidden = this.#sessions.length >= this.#total;
  }

  /** @param {Session} session */
  #row(session) {
    const { texts } = this;
    const about = `${texts.date(session.updatedAt)} · ${texts.plural("messages", session.messages)}`;
    const row = h(
      "li",
      { "data-session-id": session.id },
      h(
        "button",
        { type: "button", class: "open", "data-action": "open-chat", "aria-current": session.id === this.#current && "true", onclick: () => this.#open(session) },
        h("span", { class: "title" }, session.name),
        h("span", { class: "about" }, about),
      ),
      this.#tool("rename", texts.t("renameChat", { name: session.name }), () => this.#askName(row, session)),
      this.#tool("remove", texts.t("deleteChat", { name: session.name }), () => this.#askDelete(row, session)),
    );
    return row;
  }

  /**
   * @param {string} name of its icon
   * @param {string} label
   * @param {() => void} run
   */
  #tool(name, label, run) {
    return h("button", { type: "button", class: "quiet", "data-action": `${name}-chat`, "aria-label": label, title: label, onclick: run }, named(name));
  }

  /** @param {Session} session */
  #open(session) {
    return this.#guard(async () => {
      await this.host.request("sessions.load", { id: session.id });
      this.dialog.close();
      this.events.onOpened();
    });
  }

  /**
   * @param {HTMLElement} row
   * @param {Session} session
   */
  #askName(row, session) {
    const input = h("input", { type: "text", value: session.name, maxlength: 80, "aria-label": this.texts.t("chatName") });
    const form = h(
      "form",
      { class: "ask" },
      input,
      h("button", { type: "submit" }, this.texts.t("save")),
      h("button", { type: "button", class: "quiet", onclick: () => this.#restore(row, session) }, this.texts.t("keep")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#guard(async () => {
        const renamed = await this.host.request("sessions.rename", { id: session.id, name: input.value });
        this.#replace(renamed);
        this.#restore(row, renamed);
      });
    });
    row.replaceChildren(form);
    input.focus();
    input.select();
  }

  /**
   * @param {HTMLElement} row
   * @param {Session} session
   */
  #askDelete(row, session) {
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-delete", onclick: () => this.#delete(session) }, this.texts.t("delete"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => this.#restore(row, session) }, this.texts.t("keep"));
    row.replaceChildren(h("div", { class: "ask" }, h("p", {}, this.texts.t("deleteAsk", { name: session.name })), yes, no));
    no.focus();
  }

  /** @param {Session} session */
  #delete(session) {
    return this.#guard(async () => {
      // The open chat is put away first: left on screen, it would become a saved chat again with the next question.
      if (session.id === this.#current) await this.host.request("history.clear");
      await this.host.request("sessions.delete", { ids: [session.id] });
      await this.#load(0);
      this.#say(this.texts.t("deleted", { name: session.name }));
      /** @type {HTMLElement | null} */ (this.list.querySelector("button") ?? this.dialog.querySelector("button"))?.focus();
      if (session.id === this.#current) this.events.onOpened();
    });
  }

  /** @param {Session} session */
  #replace(session) {
    this.#sessions = this.#sessions.map((known) => (known.id === session.id ? session : known));
  }

  /**
   * @param {HTMLElement} row
   * @param {Session} session
   */
  #restore(row, session) {
    const fresh = this.#row(session);
    row.replaceWith(fresh);
    fresh.querySelector("button")?.focus();
  }

  /** @param {() => Promise<void>} work */
  async #guard(work) {
    try {
      await work();
    } catch (error) {
      this.#say(this.events.say(error));
    }
  }

  /** @param {string} text */
  #say(text) {
    this.note.textContent = text;
  }
}
