/** The person's data: how much there is, where it lies, its backups, out of it and into it. */

import { COMMANDS } from "../lib/commands.js";
import { h, need } from "../lib/dom.js";
import { command } from "../lib/notices.js";
import { Importing } from "./importing.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { Backup, TransferExportParams } from "../lib/protocol.js" */

/**
 * @typedef {object} DataEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 */

export class Data {
  /**
   * @param {Pick<HostClient, "request" | "on">} host
   * @param {Texts} texts
   * @param {DataEvents} events
   */
  constructor(host, texts, { guard }) {
    this.host = host;
    this.texts = texts;
    const say = (/** @type {string} */ text, /** @type {Node[]} */ ...more) => this.#say(text, ...more);
    this.importing = new Importing(host, texts, { guard, say, onDone: () => this.read() });
    need("#where").append(h("p", { class: "hint" }, texts.t("dataWhere")), command(COMMANDS.doctor, texts));
    need('[data-action="export"]').addEventListener("click", () => void guard(() => this.#export()));
    need('[data-action="back-up"]').addEventListener("click", () => void guard(() => this.#backUp()));
  }

  async read() {
    const { texts } = this;
    const [status, { backups }] = await Promise.all([this.host.request("status"), this.host.request("backups.list")]);
    const { path, conversations, messages, bytes, archives } = status;
    const facts = [
      [texts.t("dataPath"), path ?? texts.t("dataNowhere")],
      [texts.t("dataChats"), `${texts.number(conversations)} · ${texts.plural("messages", messages)}`],
      [texts.t("dataSize"), texts.bytes(bytes)],
      [texts.t("dataArchive"), `${texts.number(archives.count)} · ${texts.bytes(archives.bytes)}`],
    ];
    need("#data-facts").replaceChildren(...facts.flatMap(([name = "", value = ""]) => [h("dt", {}, name), h("dd", {}, value)]));
    need("#backup-list").replaceChildren(...(backups.length > 0 ? backups.map((backup) => this.#backup(backup)) : [h("li", {}, texts.t("noBackups"))]));
  }

  /** @param {Backup} backup */
  #backup({ name, at, bytes }) {
    return h("li", { title: name }, `${this.texts.date(at)} · ${this.texts.bytes(bytes)}`);
  }

  async #backUp() {
    this.#say(this.texts.t("working"));
    try {
      const { backup } = await this.host.request("backups.make");
      this.#say(this.texts.t("backedUp", { size: this.texts.bytes(backup.bytes) }));
      await this.read();
    } catch (error) {
      this.#say("");
      throw error;
    }
  }

  async #export() {
    const format = /** @type {TransferExportParams["format"]} */ (/** @type {HTMLSelectElement} */ (need("#export-format")).value);
    this.#say(this.texts.t("working"), h("progress", { "aria-label": this.texts.t("export") }));
    try {
      const { file, bytes } = await this.host.request("transfer.export", { what: "all", format });
      this.#say(this.texts.t("exported", { file, size: this.texts.bytes(bytes) }));
    } catch (error) {
      this.#say("");
      throw error;
    }
  }

  /**
   * @param {string} text
   * @param {...Node} more
   */
  #say(text, ...more) {
    need("#data-result").replaceChildren(h("p", { class: "result" }, text), ...more);
  }
}
