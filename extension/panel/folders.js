/** The folders of the drawer: opened when wanted, made, renamed, deleted; a chat can be dropped on one. */

import { h, need } from "../lib/dom.js";
import { named } from "../lib/icons.js";
import { menuButton } from "../lib/menu.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Folder, Session } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

/** More chats than this in one folder are found by searching. */
const MAX_SHOWN = 200;

/**
 * @typedef {object} FolderEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {(sessions: Session[]) => HTMLElement[]} rows
 * @property {(chatId: string, folder: string) => void} onMoved a chat was dropped on a folder
 * @property {() => Promise<void>} onChanged
 */

export class Folders {
  /** @type {Folder[]} */
  all = [];
  /** @type {Set<string>} ids of those that are open */
  #open = new Set();

  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {FolderEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
  }

  async read() {
    this.all = (await this.host.request("folders.list")).folders;
  }

  sections() {
    return this.all.map((folder) => this.#section(folder));
  }

  /** The folders as the choices of a select, whose first option says what it does. @param {HTMLElement} select */
  fill(select) {
    const { texts } = this;
    select.replaceChildren(
      h("option", { value: "", disabled: true, selected: true }, texts.t("moveTo")),
      h("option", { value: "" }, texts.t("noFolder")),
      ...this.all.map(({ id, name }) => h("option", { value: id }, name)),
    );
  }

  askNew() {
    const { texts } = this;
    const input = h("input", { type: "text", maxlength: 80, "aria-label": texts.t("folderName") });
    this.#ask(need("#chats-note"), input, () => this.host.request("folders.create", { name: input.value }));
  }

  /** @param {Folder} folder */
  #section(folder) {
    const { texts } = this;
    const list = h("ul");
    const summary = h("summary", {}, h("span", { class: "title" }, folder.name), h("span", { class: "about" }, String(texts.number(folder.chats))));
    const more = h("button", { type: "button", class: "quiet icon-button", "data-action": "more-folder", "aria-label": texts.t("moreAbout", { name: folder.name }) }, named("more"));
    const details = h("details", { class: "folder", "data-folder-id": folder.id, open: this.#open.has(folder.id) }, summary, list);
    const section = h("section", { class: "folder-row", "aria-label": folder.name }, details, more);
    details.addEventListener("toggle", () => this.#toggled(folder, details, list));
    this.#takeDrops(section, folder);
    menuButton(more, () => [
      { label: texts.t("renameFolder"), action: "rename-folder", run: () => this.#askName(folder) },
      { label: texts.t("deleteFolder"), action: "delete-folder", run: () => this.#delete(folder) },
    ]);
    return section;
  }

  /**
   * @param {Folder} folder
   * @param {HTMLDetailsElement} details
   * @param {HTMLElement} list
   */
  #toggled(folder, details, list) {
    if (!details.open) return this.#open.delete(folder.id);
    this.#open.add(folder.id);
    return this.events.guard(async () => {
      const { sessions } = await this.host.request("sessions.list", { folder: folder.id, limit: MAX_SHOWN });
      list.replaceChildren(...this.events.rows(sessions));
    });
  }

  /**
   * @param {HTMLElement} section
   * @param {Folder} folder
   */
  #takeDrops(section, folder) {
    section.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("text/x-sidekeep-chat") && event.preventDefault());
    section.addEventListener("drop", (event) => {
      const id = event.dataTransfer?.getData("text/x-sidekeep-chat");
      if (!id) return;
      event.preventDefault();
      this.events.onMoved(id, folder.id);
    });
  }

  /** @param {Folder} folder */
  #askName(folder) {
    const input = h("input", { type: "text", value: folder.name, maxlength: 80, "aria-label": this.texts.t("folderName") });
    this.#ask(need("#chats-note"), input, () => this.host.request("folders.rename", { id: folder.id, name: input.value }));
  }

  /** Its chats stay, in no folder. @param {Folder} folder */
  #delete(folder) {
    return this.events.guard(async () => {
      await this.host.request("folders.delete", { id: folder.id });
      await this.events.onChanged();
      need("#chats-note").textContent = this.texts.t("folderDeleted", { name: folder.name });
    });
  }

  /**
   * @param {HTMLElement} place
   * @param {HTMLInputElement} input
   * @param {() => Promise<unknown>} request
   */
  #ask(place, input, request) {
    const { texts } = this;
    const form = h("form", { class: "ask" }, input, h("button", { type: "submit" }, texts.t("save")), h("button", { type: "button", class: "quiet", onclick: () => place.replaceChildren() }, texts.t("keep")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.events.guard(async () => {
        await request();
        place.replaceChildren();
        await this.events.onChanged();
      });
    });
    place.replaceChildren(form);
    input.focus();
    input.select();
  }
}
