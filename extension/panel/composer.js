/** The composer: what is typed, how it is sent, and that it is never lost. */

import { need } from "../lib/dom.js";
import { PromptList } from "./prompts.js";
import { Recall } from "./recall.js";

/** @import { Draft } from "../lib/draft.js" */
/** @import { Texts } from "../lib/i18n.js" */

/**
 * @typedef {object} ComposerEvents
 * @property {(text: string) => void} onSend
 * @property {() => void} onStop
 * @property {() => void} onInput what is typed has changed
 * @property {(files: File[]) => void} onFiles pasted or dropped
 * @property {(text: string) => boolean} onPaste whether the text goes elsewhere than into the question
 * @property {() => string[]} asked the questions so far, oldest first
 */

export class Composer {
  /** "enter" or "modEnter" */
  sendKey = "enter";
  #running = false;
  #recall = new Recall();

  /**
   * @param {Draft} draft
   * @param {Texts} texts
   * @param {ComposerEvents} events
   */
  constructor(draft, texts, events) {
    this.draft = draft;
    this.events = events;
    /** @type {HTMLTextAreaElement} */
    this.input = need("#composer-input");
    /** @type {HTMLButtonElement} */
    this.sendButton = need('[data-action="send"]');
    /** @type {HTMLButtonElement} */
    this.stopButton = need('[data-action="stop"]');
    this.prompts = new PromptList(this.input, texts);
    this.input.addEventListener("input", () => this.#changed());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("paste", (event) => this.#paste(event));
    this.#takeDrops();
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
    this.#changed();
  }

  focus() {
    this.input.focus();
  }

  #changed() {
    void this.draft.keep(this.input.value);
    this.events.onInput();
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    // A table copied from a sheet comes as text and as a picture of it: the text is meant.
    if (files.length > 0 && !text) this.events.onFiles(files);
    else if (!this.events.onPaste(text)) return;
    event.preventDefault();
  }

  #takeDrops() {
    document.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    document.addEventListener("drop", (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault(); // the browser would open it in place of the panel
      this.events.onFiles(files);
    });
  }

  #send() {
    const text = this.input.value.trim();
    if (text) this.events.onSend(text);
    else this.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.prompts.key(event) || this.#recalls(event)) return;
    // While an input method composes, Enter chooses a word; 229 is what some report then.
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey) return;
    const mod = event.ctrlKey || event.metaKey;
    if (this.sendKey === "modEnter" && !mod) return;
    event.preventDefault();
    this.#send();
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether an earlier question was put in
   */
  #recalls(event) {
    if (event.isComposing || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
    const text = this.#recall.key(event.key, this.input.value, this.events.asked());
    if (text === null) return false;
    event.preventDefault();
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
    this.#changed();
    return true;
  }
}
