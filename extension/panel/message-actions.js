/** What can be done with one message: copy, ask again, edit and resend, branch, delete. */

import { textOf } from "../lib/attachment-header.js";
import { copyButton } from "../lib/code-block.js";
import { h } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Message } from "../lib/protocol.js" */

/**
 * @typedef {object} ActionEvents
 * @property {(message: Message) => void} onAgain this question, or the one of this answer, is to be asked once more
 * @property {(question: Message, text: string) => Promise<boolean>} onEdited resolves to whether it was taken
 * @property {(message: Message) => void} onBranch
 * @property {(message: Message) => Promise<void>} onDelete
 */

export class MessageActions {
  /** @type {Message | null} */
  #message = null;

  /**
   * @param {{role: "user" | "assistant", body: HTMLElement}} view
   * @param {Texts} texts
   * @param {ActionEvents} events
   */
  constructor(view, texts, events) {
    this.view = view;
    this.texts = texts;
    this.events = events;
    this.element = h("div", { class: "actions", role: "group", "aria-label": texts.t("messageActions"), hidden: true });
  }

  /** @param {Message} message as it is stored: only such a one has actions */
  show(message) {
    if (this.#message === null) this.#offer();
    this.#message = message;
    this.element.hidden = false;
  }

  #offer() {
    const { texts, events } = this;
    const asked = this.view.role === "user";
    const buttons = [
      copyButton(() => textOf(this.#known.content), texts),
      asked && this.#button("edit", "rename", () => this.#edit()),
      this.#button(asked ? "retry" : "again", "again", () => events.onAgain(this.#known)),
      this.#button("branch", "branch", () => events.onBranch(this.#known)),
      this.#button("delete-message", "remove", () => this.#askDelete()),
    ];
    this.element.replaceChildren(...buttons.filter((button) => button !== false));
  }

  /** Whether the message's text is being changed. */
  get editing() {
    return this.view.body.querySelector("textarea") !== null;
  }

  get #known() {
    return /** @type {Message} */ (this.#message);
  }

  /**
   * @param {string} action
   * @param {string} icon
   * @param {() => void} run
   */
  #button(action, icon, run) {
    const label = this.texts.t(`action_${action === "retry" ? "again" : action.replace("-", "_")}`);
    return h("button", { type: "button", class: "quiet icon-button", "data-action": action, "aria-label": label, title: label, onclick: run }, named(icon));
  }

  #askDelete() {
    const { texts } = this;
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-delete-message", onclick: () => this.events.onDelete(this.#known) }, texts.t("delete"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => this.#back("delete-message") }, texts.t("keep"));
    this.element.replaceChildren(h("span", {}, texts.t("deleteMessageAsk")), yes, no);
    no.focus();
  }

  #edit() {
    const { texts, view } = this;
    const input = h("textarea", { class: "edit", rows: 2, dir: "auto", "aria-label": texts.t("action_edit") });
    input.value = textOf(this.#known.content);
    const send = () => void this.#send(input);
    const close = () => this.#closeEdit();
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) {
        event.stopPropagation(); // it ends the editing, not the answer
        close();
      }
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
        event.preventDefault();
        send();
      }
    });
    view.body.replaceChildren(input);
    this.element.replaceChildren(
      h("button", { type: "button", class: "main", "data-action": "send-edited", onclick: send }, texts.t("send")),
      h("button", { type: "button", class: "quiet", onclick: close }, texts.t("keep")),
    );
    input.focus();
  }

  /** @param {HTMLTextAreaElement} input */
  async #send(input) {
    const text = input.value.trim();
    if (text && (await this.events.onEdited(this.#known, text))) this.#closeEdit();
  }

  #closeEdit() {
    this.view.body.textContent = textOf(this.#known.content);
    this.#back("edit");
  }

  /** @param {string} action the button that gets the focus again */
  #back(action) {
    this.#offer();
    /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-action="${action}"]`))?.focus();
  }
}
