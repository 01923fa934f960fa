/** Settings of the conversation: what every question is prefaced with, how much of the conversation goes along, and the prompts behind `/`. */

import { arrange, h, need } from "../lib/dom.js";
import { PROMPTS_KEY, readPrompts } from "../lib/prompts.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Prompt } from "../lib/prompts.js" */
/** @import { Light } from "../lib/settings.js" */
/** @import { Requester } from "../lib/types.js" */

/** Fields of the page that are keys of the storage area, each saved when it is left. */
const TEXTS = /** @type {const} */ (["systemPrompt", "replyLanguage"]);
const WINDOW_NUMBERS = /** @type {const} */ (["messages", "chars"]);

export class ConversationSettings {
  /** @type {Light["requestWindow"]} */
  #window = { mode: "full", messages: 12, chars: 8000 };

  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {(items: Record<string, unknown>) => Promise<void>} save into the storage area, and say so
   */
  constructor(host, texts, save) {
    this.host = host;
    this.texts = texts;
    this.save = save;
    for (const name of TEXTS) need(`#${name}`).addEventListener("change", (event) => void save({ [name]: valueOf(event) }));
    need("#autoSummarize").addEventListener("change", (event) => void save({ autoSummarizeAttachments: /** @type {HTMLInputElement} */ (event.target).checked }));
    need("#windowMode").addEventListener("change", (event) => void this.#saveWindow({ mode: valueOf(event) }));
    for (const name of WINDOW_NUMBERS) {
      need(`#window-${name}`).addEventListener("change", (event) => {
        const input = /** @type {HTMLInputElement} */ (event.target);
        if (input.reportValidity()) void this.#saveWindow({ [name]: Number(input.value) });
      });
    }
    need('[data-action="add-prompt"]').addEventListener("click", () => this.#addPrompt());
  }

  /** @param {Light} settings */
  async show(settings) {
    for (const name of TEXTS) put(name, settings[name]);
    /** @type {HTMLInputElement} */ (need("#autoSummarize")).checked = settings.autoSummarizeAttachments;
    this.#window = settings.requestWindow;
    put("windowMode", this.#window.mode);
    for (const name of WINDOW_NUMBERS) {
      put(`window-${name}`, String(this.#window[name]));
      need(`#window-${name}-field`).hidden = this.#window.mode !== name;
    }
    if (!need("#prompt-list").contains(document.activeElement)) this.#showPrompts(await readPrompts(this.host, this.texts));
  }

  /** @param {Partial<Light["requestWindow"]>} change */
  #saveWindow(change) {
    return this.save({ requestWindow: { ...this.#window, ...change } });
  }

  /** @param {Prompt[]} prompts */
  #showPrompts(prompts) {
    arrange(
      need("#prompt-list"),
      prompts.map((prompt) => this.#row(prompt)),
    );
  }

  /** @param {Prompt} prompt */
  #row({ name, text }) {
    const { texts } = this;
    const row = h(
      "li",
      {},
      h("input", { type: "text", value: name, maxlength: 60, "aria-label": texts.t("promptName"), onchange: () => this.#savePrompts() }),
      h("textarea", { rows: 2, "aria-label": texts.t("promptText"), onchange: () => this.#savePrompts() }, text),
      h("button", { type: "button", class: "quiet", "data-action": "remove-prompt", onclick: () => this.#removePrompt(row) }, texts.t("delete")),
    );
    return row;
  }

  #addPrompt() {
    const row = this.#row({ name: "", text: "" });
    need("#prompt-list").append(row);
    row.querySelector("input")?.focus();
  }

  /** @param {HTMLElement} row */
  #removePrompt(row) {
    row.remove();
    need('[data-action="add-prompt"]').focus();
    return this.#savePrompts();
  }

  /** Rows without a name or a text are not finished, and not kept. */
  #savePrompts() {
    const rows = [...need("#prompt-list").children].map((row) => ({ name: row.querySelector("input")?.value.trim() ?? "", text: row.querySelector("textarea")?.value.trim() ?? "" }));
    return this.save({ [PROMPTS_KEY]: rows.filter(({ name, text }) => name && text) });
  }
}

/** @param {Event} event */
function valueOf(event) {
  return /** @type {HTMLInputElement} */ (event.target).value;
}

/**
 * What somebody is typing stays.
 * @param {string} id
 * @param {string} value
 */
function put(id, value) {
  const field = /** @type {HTMLInputElement} */ (need(`#${id}`));
  if (document.activeElement !== field) field.value = value;
}
