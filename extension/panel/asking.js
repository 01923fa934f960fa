/** Questions on their way to the host: sent, stopped, asked again, edited and resent; and what is done with messages that are there. */

import { isUnsure } from "./sync.js";

/** @import { Message, TurnsTurnStarted } from "../lib/protocol.js" */
/** @import { Panel } from "./panel.js" */
/** @import { Effect } from "./conversation.js" */
/** @import { ActionEvents } from "./message-actions.js" */

export class Asking {
  /** Whether a question is on its way to the host. */
  busy = false;
  /** @type {string | null} the message that the question on its way takes the place of */
  #replacing = null;

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** @returns {ActionEvents} what the buttons below messages do */
  get actions() {
    return {
      onAgain: (answer) => void this.#again(answer),
      onEdited: (question, text) => this.#replace(question, text),
      onBranch: (message) => void this.#branch(message),
      onDelete: (message) => this.#delete(message),
    };
  }

  /** @param {string} text */
  async send(text) {
    const taken = await this.#ask(() => this.#deliver(text));
    if (taken) this.panel.composer.sent(text);
  }

  stop() {
    const turn = this.panel.conversation.live?.turn;
    if (turn) void this.panel.host.request("turn.cancel", { turn }).catch((error) => this.panel.complain(error));
  }

  /**
   * @param {TurnsTurnStarted} event
   * @param {boolean} late
   * @returns {Effect}
   */
  started(event, late) {
    const { conversation } = this.panel;
    if (this.#replacing !== null) conversation.truncated(this.#replacing);
    const effect = conversation.started(event, late);
    // Asked elsewhere, in another window: it may have taken the place of messages that are still shown here.
    return effect === "show" && !this.busy ? "resync" : effect;
  }

  /**
   * @param {() => Promise<unknown>} deliver
   * @returns {Promise<boolean>} whether the host has it
   */
  async #ask(deliver) {
    const { panel } = this;
    if (this.busy) return false;
    panel.alert.clear();
    this.busy = true;
    panel.transcript.follow();
    try {
      // An answer that seems to run may have ended with its host just now: the host knows.
      if (panel.conversation.live || !panel.conversation.loaded) await panel.sync.readOverRestart();
      if (panel.conversation.live) {
        panel.status.pass(panel.texts.t("waitOrStop"));
        return false;
      }
      await deliver();
      return true;
    } catch (error) {
      panel.complain(error);
      return false;
    } finally {
      this.busy = false;
      this.#replacing = null;
    }
  }

  /**
   * Ask the host. When it or the worker ended in between, the store tells whether the question was taken; if not, it is asked once more.
   * @param {string} text
   */
  async #deliver(text) {
    const { host, conversation, sync } = this.panel;
    const before = conversation.lastQuestion?.id;
    try {
      await host.request("turn.send", { text });
    } catch (error) {
      if (!isUnsure(error)) throw error;
      await sync.readOverRestart();
      const last = conversation.lastQuestion;
      if (last && last.id !== before && last.content === text) return;
      // After a time-out the host may still be about to take it.
      if (error.kind === "timeout") throw error;
      await host.request("turn.send", { text });
    }
  }

  /** @param {Message} answer */
  async #again(answer) {
    const question = this.panel.conversation.questionOf(answer.id);
    if (question) await this.#replace(question);
  }

  /**
   * @param {Message} question
   * @param {string} [text] absent: as it stands
   */
  async #replace(question, text) {
    return this.#ask(async () => {
      this.#replacing = question.id;
      await this.panel.host.request("turn.send", { replaces: question.id, ...(text === undefined ? {} : { text }) });
    });
  }

  /** @param {Message} message */
  async #branch(message) {
    const { panel } = this;
    try {
      const { id } = await panel.host.request("sessions.branch", { messageId: message.id });
      await panel.host.request("sessions.load", { id });
      await panel.turnedTo();
      panel.status.pass(panel.texts.t("branched"));
    } catch (error) {
      panel.complain(error);
    }
  }

  /** @param {Message} message */
  async #delete(message) {
    const { panel } = this;
    try {
      await panel.host.request("history.remove", { id: message.id });
      panel.conversation.removed(message.id);
      panel.showAll();
      panel.status.pass(panel.texts.t("messageDeleted"));
      panel.composer.focus();
    } catch (error) {
      panel.complain(error);
    }
  }
}
