/** The composer: what is typed, how it is sent, and that it is never lost. */

import { need } from "../lib/dom.js";

/** @import { Draft } from "../lib/draft.js" */

/**
 * @typedef {object} ComposerEvents
 * @property {(text: string) => void} onSend
 * @property {() => void} onStop
 */

export class Composer {
  /** "enter" or "modEnter" */
  sendKey = "enter";
  #running = false;

  /**
   * @param {Draft} draft
   * @param {ComposerEvents} events
   */
  constructor(draft, events) {
    this.draft = draft;
    this.events = events;
    /** @type {HTMLTextAreaElement} */
    this.input = need("#composer-input");
    /** @type {HTMLButtonElement} */
    this.sendButton = need('[data-action="send"]');
    /** @type {HTMLButtonElement} */
    this.stopButton = need('[data-action="stop"]');
    this.input.addEventListener("input", () => void draft.keep(this.input.value));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    need("#composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.stopButton.addEventListener("click", () => events.onStop());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#running && !event.isComposing && !document.querySelector("dialog[open]")) events.onStop();
    });
  }

  /** Bring back what was typed when the panel was last open, before what has been typed since it opened. */
  async restore() {
    const kept = await this.draft.read();
    if (kept && kept !== this.input.value) this.input.value = kept + this.input.value;
  }

  /** @param {boolean} running whether an answer is being made: Send becomes Stop */
  setRunning(running) {
    if (running === this.#running) return;
    const hadFocus = document.activeElement === this.sendButton || document.activeElement === this.stopButton;
    this.#running = running;
    this.sendButton.hidden = running;
    this.stopButton.hidden = !running;
    if (hadFocus) this.input.focus();
  }

  /**
   * The host has the text: take it out, and leave what was typed after it.
   * @param {string} text
   */
  sent(text) {
    const value = this.input.value;
    const start = value.indexOf(text);
    if (start >= 0 && value.slice(0, start).trim() === "") this.input.value = value.slice(start + text.length).trimStart();
    void this.draft.keep(this.input.value);
  }

  focus() {
    this.input.focus();
  }

  #send() {
    const text = this.input.value.trim();
    if (text) this.events.onSend(text);
    else this.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // While an input method composes, Enter chooses a word; 229 is what some report then.
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey) return;
    const mod = event.ctrlKey || event.metaKey;
    if (this.sendKey === "modEnter" && !mod) return;
    event.preventDefault();
    this.#send();
  }
}
