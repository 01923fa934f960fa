/** Questions on their way to the host: sent, stopped, asked again, edited and resent; and what is done with messages that are there. */

import { textOf } from "../lib/attachment-header.js";
import { isUnsure } from "./sync.js";

/** @import { Message, TurnsStarted, TurnsTurnStarted } from "../lib/protocol.js" */
/** @import { Panel } from "./panel.js" */
/** @import { Effect } from "./conversation.js" */

export class Asking {
  /** Whether a question is on its way to the host. */
  busy = false;
  /** The turn that was asked for here last. */
  #turn = "";
  /** @type {string | null} the message that the question on its way takes the place of */
  #replacing = null;

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** @param {string} text */
  async send(text) {
    // What is being attached goes along; where it cannot, the person has been told, and the question stays.
    if (!(await this.panel.attaching.queue.settled())) return;
    const { pictures } = this.panel.attaching;
    const images = pictures.map(({ dataUrl }) => dataUrl);
    const taken = await this.#ask(() => this.#deliver({ text, ...(images.length > 0 ? { images } : {}) }));
    if (!taken) return;
    this.panel.composer.sent(text);
    this.panel.attaching.sent(pictures);
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
    // It may be told before the request is answered, or after.
    const own = this.busy || event.turn === this.#turn;
    if (own && this.#replacing !== null) conversation.truncated(this.#replacing);
    if (own) this.#replacing = null;
    const effect = conversation.started(event, late);
    // Asked in another window: it may have taken the place of messages that are still shown here.
    return effect === "show" && !own ? "resync" : effect;
  }

  /**
   * @param {() => Promise<TurnsStarted | undefined>} deliver undefined where the host had it already
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
      const sent = await deliver();
      if (sent) this.#turn = sent.turn;
      return true;
    } catch (error) {
      this.#replacing = null;
      panel.complain(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /**
   * Ask the host. When it or the worker ended in between, the store tells whether the question was taken; if not, it is asked once more.
   * @param {{text: string, images?: string[]}} question
   */
  async #deliver(question) {
    const { host, conversation, sync } = this.panel;
    const before = conversation.lastQuestion?.id;
    try {
      return await host.request("turn.send", question);
    } catch (error) {
      if (!isUnsure(error)) throw error;
      await sync.readOverRestart();
      const last = conversation.lastQuestion;
      if (last && last.id !== before && textOf(last.content) === question.text) return undefined;
      // After a time-out the host may still be about to take it.
      if (error.kind === "timeout") throw error;
      return host.request("turn.send", question);
    }
  }

  /** @param {Message} message a question, or an answer: then its question is asked */
  async again(message) {
    const question = message.role === "user" ? message : this.panel.conversation.questionOf(message.id);
    if (question) await this.replace(question);
  }

  /**
   * @param {Message} question
   * @param {string} [text] absent: as it stands
   */
  async replace(question, text) {
    return this.#ask(() => {
      this.#replacing = question.id;
      return this.panel.host.request("turn.send", { replaces: question.id, ...(text === undefined ? {} : { text }) });
    });
  }

  /** @param {Message} message */
  async branch(message) {
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
  async remove(message) {
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
