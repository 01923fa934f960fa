/** A chat's checkpoints, in the place of its row: what it was before a summary or a return, to be gone back to or deleted. */

import { h } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Checkpoint, Session } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

/**
 * @typedef {object} CheckpointEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {(session: Session) => void} onRestored the chat is what it was at one of them
 * @property {(text: string) => void} say
 */

export class CheckpointList {
  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {CheckpointEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
  }

  /**
   * @param {HTMLElement} row
   * @param {Session} session
   * @param {() => void} onClose
   */
  show(row, session, onClose) {
    return this.events.guard(async () => {
      const { texts } = this;
      const { checkpoints } = await this.host.request("sessions.checkpoints", { id: session.id });
      const close = h("button", { type: "button", class: "quiet", "data-action": "keep", onclick: onClose }, texts.t("close"));
      const list = h("ul", { "aria-label": texts.t("checkpointsOf", { name: session.name }) }, ...checkpoints.toReversed().map((checkpoint) => this.#item(session, checkpoint, () => void this.show(row, session, onClose))));
      const again = () => void this.show(row, session, onClose);
      const compact = h("button", { type: "button", "data-action": "compact-chat", onclick: () => void this.#compact(session, again) }, texts.t("compactNow"));
      const box = h("div", { class: "ask checkpoints" }, h("p", {}, texts.t(checkpoints.length > 0 ? "checkpointsAbout" : "noCheckpoints", { name: session.name })), list, compact, close);
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault(); // it closes the list, not the drawer
        event.stopPropagation();
        onClose();
      });
      row.replaceChildren(box);
      /** @type {HTMLElement} */ (box.querySelector("button")).focus();
    });
  }

  /**
   * @param {Session} session
   * @param {Checkpoint} checkpoint
   * @param {() => void} onDeleted
   */
  #item(session, checkpoint, onDeleted) {
    const { texts } = this;
    const about = `${texts.date(checkpoint.createdAt)} · ${texts.plural("messages", checkpoint.messages)}`;
    return h(
      "li",
      { "data-checkpoint": checkpoint.id },
      h("span", { class: "about" }, about),
      h("button", { type: "button", "data-action": "restore-checkpoint", "aria-label": texts.t("restoreNamed", { name: about }), onclick: () => this.#restore(session, checkpoint) }, texts.t("restore")),
      h("button", { type: "button", class: "quiet", "data-action": "delete-checkpoint", "aria-label": texts.t("deleteCheckpoint", { name: about }), title: texts.t("deleteCheckpoint", { name: about }), onclick: () => this.#delete(session, checkpoint, onDeleted) }, named("remove")),
    );
  }

  /**
   * @param {Session} session
   * @param {Checkpoint} checkpoint
   */
  #restore(session, checkpoint) {
    return this.events.guard(async () => {
      await this.host.request("sessions.restore", { id: session.id, checkpoint: checkpoint.id });
      this.events.onRestored(session);
    });
  }

  /**
   * Let the model summarise the chat's older part.
   * @param {Session} session
   * @param {() => void} onDone
   */
  #compact(session, onDone) {
    return this.events.guard(async () => {
      this.events.say(this.texts.t("compacting"));
      await this.host.request("sessions.compact", { id: session.id });
      this.events.say(this.texts.t("compacted"));
      onDone();
    });
  }

  /**
   * Nothing is lost: what no other checkpoint has goes to the archive.
   * @param {Session} session
   * @param {Checkpoint} checkpoint
   * @param {() => void} onDeleted
   */
  #delete(session, checkpoint, onDeleted) {
    return this.events.guard(async () => {
      await this.host.request("sessions.deleteCheckpoint", { id: session.id, checkpoint: checkpoint.id });
      this.events.say(this.texts.t("checkpointDeleted"));
      onDeleted();
    });
  }
}
