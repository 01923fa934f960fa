/** Several chats that are chosen in the drawer, and what is done with all of them at once. */

import { h, need } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */

/**
 * @typedef {object} ChosenEvents
 * @property {() => void} onToggle choosing has begun or ended: rows have a box or none
 * @property {(ids: string[]) => Promise<void>} onPin
 * @property {(ids: string[], folder: string | null) => Promise<void>} onMove
 * @property {(ids: string[]) => Promise<void>} onDelete
 * @property {(select: HTMLElement) => void} fill puts the folders into a select
 */

export class ChosenChats {
  /** @type {Set<string> | null} null while nothing is being chosen */
  ids = null;

  /**
   * @param {Texts} texts
   * @param {ChosenEvents} events
   */
  constructor(texts, events) {
    this.texts = texts;
    this.events = events;
    need('[data-action="choose-chats"]').addEventListener("click", () => this.choose(this.ids === null));
    need('[data-action="chosen-pin"]').addEventListener("click", () => void events.onPin(this.#all));
    need('[data-action="chosen-delete"]').addEventListener("click", () => this.#askDelete());
    need("#chosen-folder").addEventListener("change", (event) => this.#move(/** @type {HTMLSelectElement} */ (event.target)));
  }

  get #all() {
    return [...(this.ids ?? [])];
  }

  /** @param {boolean} choosing */
  choose(choosing) {
    this.ids = choosing ? new Set() : null;
    need('[data-action="choose-chats"]').setAttribute("aria-pressed", String(choosing));
    this.#tell();
    this.events.onToggle();
  }

  /**
   * @param {string} id
   * @param {boolean} chosen
   */
  mark(id, chosen) {
    if (chosen) this.ids?.add(id);
    else this.ids?.delete(id);
    this.#tell();
  }

  #tell() {
    const count = this.#all.length;
    need("#chosen").hidden = this.ids === null;
    need("#chosen-count").textContent = this.texts.plural("chosen", count);
    for (const control of need("#chosen").querySelectorAll("button, select")) /** @type {HTMLButtonElement} */ (control).disabled = count === 0;
    this.events.fill(need("#chosen-folder"));
  }

  /** @param {HTMLSelectElement} select its first option names the deed */
  #move(select) {
    const folder = select.value;
    select.selectedIndex = 0;
    void this.events.onMove(this.#all, folder || null);
  }

  #askDelete() {
    const ids = this.#all;
    const { texts } = this;
    const note = need("#chats-note");
    const yes = h("button", { type: "button", class: "danger", "data-action": "confirm-delete", onclick: () => void this.events.onDelete(ids) }, texts.t("delete"));
    const no = h("button", { type: "button", class: "quiet", onclick: () => note.replaceChildren() }, texts.t("keep"));
    note.replaceChildren(texts.plural("deleteChatsAsk", ids.length), " ", yes, no);
    no.focus();
  }
}
