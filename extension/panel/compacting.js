/** Summaries that stand for a chat's older part: asked for with `/compact`, and offered where the chat fills the model's window. */

import { need } from "../lib/dom.js";

/** @import { Message } from "../lib/protocol.js" */
/** @import { Panel } from "./panel.js" */

const COMMAND = "/compact";

export class Compacting {
  #busy = false;
  #full = false;

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {HTMLButtonElement} */
    this.button = need('[data-action="compact"]');
    this.button.addEventListener("click", () => void this.compact());
  }

  /**
   * What a summary stands for.
   * @param {string} checkpoint
   * @returns {Promise<Message[]>}
   */
  async read(checkpoint) {
    try {
      const { messages } = await this.panel.host.request("sessions.get", { id: this.panel.conversation.sessionId, checkpoint });
      return messages;
    } catch (error) {
      this.panel.complain(error);
      return [];
    }
  }

  /** Go on with what a summary stands for. @param {string} checkpoint */
  async goBack(checkpoint) {
    try {
      await this.panel.host.request("sessions.restore", { id: this.panel.conversation.sessionId, checkpoint });
      await this.panel.sync.read();
    } catch (error) {
      this.panel.complain(error);
    }
  }

  /**
   * @param {string} text what a person sends
   * @returns {boolean} whether it is the command, and no question
   */
  takes(text) {
    if (text.trim() !== COMMAND) return false;
    void this.compact().then((done) => done && this.panel.composer.sent(text));
    return true;
  }

  /** @param {boolean} full whether the conversation fills its window */
  offer(full) {
    this.#full = full;
    this.button.hidden = !full || this.#busy;
  }

  /** @returns {Promise<boolean>} whether a summary stands there now */
  async compact() {
    const { host, status, texts, alert, sync } = this.panel;
    if (this.#busy) return false;
    this.#busy = true;
    this.offer(this.#full);
    alert.clear();
    status.pass(texts.t("compacting"));
    try {
      await host.request("sessions.compact");
      await sync.read();
      status.pass(texts.t("compacted"));
      return true;
    } catch (error) {
      status.pass("");
      this.panel.complain(error);
      return false;
    } finally {
      this.#busy = false;
      this.offer(this.#full);
    }
  }
}
