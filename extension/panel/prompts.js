/** Prompts that a person keeps: typing `/` in an empty composer lists them, letters narrow the list, Enter puts one in. */

import { h, need, setProp } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Prompt } from "../lib/prompts.js" */

export class PromptList {
  /** @type {Prompt[]} */
  #all = [];
  /** @type {Prompt[]} */
  #shown = [];
  #chosen = 0;
  /** @type {string | null} the letters behind `/`; null once the list was closed, until something is typed */
  #wanted = null;

  /**
   * @param {HTMLTextAreaElement} input
   * @param {Texts} texts
   */
  constructor(input, texts) {
    this.input = input;
    this.texts = texts;
    this.list = need("#prompts");
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("blur", () => this.#close());
  }

  /** @param {Prompt[]} prompts shown at once where some are being looked for: the one that was chosen stays so */
  set(prompts) {
    this.#all = prompts;
    if (this.#wanted === null) return;
    const chosen = this.#shown[this.#chosen]?.name;
    this.#narrow(this.#wanted);
    if (this.open) this.#choose(Math.max(0, this.#shown.findIndex(({ name }) => name === chosen)));
  }

  get open() {
    return this.#shown.length > 0;
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was the list's
   */
  key(event) {
    if (!this.open || event.isComposing) return false;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) this.#choose(this.#chosen + steps[/** @type {keyof typeof steps} */ (event.key)]);
    else if (event.key === "Enter" || event.key === "Tab") this.#put(this.#shown[this.#chosen]);
    else if (event.key === "Escape") this.#close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #typed() {
    this.#wanted = /^\/(\S*)$/.exec(this.input.value)?.[1]?.toLocaleLowerCase() ?? null;
    if (this.#wanted === null) this.#close();
    else this.#narrow(this.#wanted);
  }

  /** @param {string} wanted */
  #narrow(wanted) {
    this.#shown = this.#all.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
    if (!this.open) return this.#hide();
    this.list.replaceChildren(...this.#shown.map((prompt, index) => this.#option(prompt, index)));
    this.list.hidden = false;
    setProp(this.input, "aria-controls", "prompts");
    this.#choose(0);
  }

  /**
   * @param {Prompt} prompt
   * @param {number} index
   */
  #option(prompt, index) {
    const pick = (/** @type {Event} */ event) => {
      event.preventDefault(); // the composer keeps the focus
      this.#put(prompt);
    };
    return h("li", { id: `prompt-${index}`, role: "option", onpointerdown: pick }, h("span", { class: "name" }, prompt.name), h("span", { class: "about" }, prompt.text));
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = (index + this.#shown.length) % this.#shown.length;
    [...this.list.children].forEach((option, at) => setProp(option, "aria-selected", String(at === this.#chosen)));
    this.list.children[this.#chosen]?.scrollIntoView({ block: "nearest" });
    setProp(this.input, "aria-activedescendant", `prompt-${this.#chosen}`);
  }

  /** @param {Prompt | undefined} prompt */
  #put(prompt) {
    this.#close();
    if (!prompt) return;
    this.input.value = prompt.text;
    this.input.setSelectionRange(prompt.text.length, prompt.text.length);
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #close() {
    this.#wanted = null;
    this.#shown = [];
    this.#hide();
  }

  #hide() {
    this.list.hidden = true;
    setProp(this.input, "aria-activedescendant", null);
    setProp(this.input, "aria-controls", null);
  }
}
