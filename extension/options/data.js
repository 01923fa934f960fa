/** The person's data: how much there is, where it lies, out of it and into it. */

import { COMMANDS } from "../lib/commands.js";
import { h, need } from "../lib/dom.js";
import { command } from "../lib/notices.js";
import { dataUrl } from "../lib/picture-file.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { TransferExportParams, TransferImport } from "../lib/protocol.js" */
/** @import { Requester } from "../lib/types.js" */

/** Of a file that is imported; as base64 a third more, well below what the browser passes on at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * @typedef {object} DataEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 */

export class Data {
  /**
   * @param {Requester} host
   * @param {Texts} texts
   * @param {DataEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
    need("#where").append(h("p", { class: "hint" }, texts.t("dataWhere")), command(COMMANDS.doctor, texts));
    need('[data-action="export"]').addEventListener("click", () => void events.guard(() => this.#export()));
    need("#import-file").addEventListener("change", (event) => {
      const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
      if (file) void events.guard(() => this.#tryImport(file));
    });
  }

  async read() {
    const { texts } = this;
    const { conversations, messages, bytes, archives, lastBackupAt } = await this.host.request("status");
    const facts = [
      [texts.t("dataChats"), `${texts.number(conversations)} · ${texts.plural("messages", messages)}`],
      [texts.t("dataSize"), texts.bytes(bytes)],
      [texts.t("dataArchive"), `${texts.number(archives.count)} · ${texts.bytes(archives.bytes)}`],
      [texts.t("dataBackup"), lastBackupAt === null ? texts.t("never") : texts.date(lastBackupAt)],
    ];
    need("#data-facts").replaceChildren(...facts.flatMap(([name = "", value = ""]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  async #export() {
    const format = /** @type {TransferExportParams["format"]} */ (/** @type {HTMLSelectElement} */ (need("#export-format")).value);
    this.#say(this.texts.t("working"));
    const { file, bytes } = await this.host.request("transfer.export", { what: "all", format });
    this.#say(this.texts.t("exported", { file, size: this.texts.bytes(bytes) }));
  }

  /** Nothing is written before the person has seen what it would be. @param {File} file */
  async #tryImport(file) {
    const { texts } = this;
    this.#say(texts.t("working"));
    const { transfer } = await this.host.request("transfer.open", { name: file.name, bytes: file.size });
    for (let seq = 0; seq * CHUNK_BYTES < file.size; seq += 1) {
      const url = await dataUrl(file.slice(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES));
      await this.host.request("transfer.chunk", { transfer, seq, base64: url.slice(url.indexOf(",") + 1) });
    }
    const found = await this.host.request("transfer.commit", { transfer, dryRun: true });
    const go = h("button", { type: "button", class: "main", "data-action": "confirm-import", onclick: () => void this.events.guard(() => this.#import(transfer)) }, texts.t("importNow"));
    this.#say(this.#report(found, "wouldImport"), ...(found.added + found.updated + found.archived > 0 ? [go] : []));
    go.focus();
  }

  /** @param {string} transfer */
  async #import(transfer) {
    this.#say(this.texts.t("working"));
    const done = await this.host.request("transfer.commit", { transfer });
    this.#say(this.#report(done, "imported"));
    await this.read();
  }

  /**
   * @param {TransferImport} found
   * @param {"wouldImport" | "imported"} key
   */
  #report({ source, added, updated, unchanged, archived, failed, keysFound }, key) {
    const { texts } = this;
    return [
      `${source}: ${texts.plural(key, added)}`,
      updated > 0 && texts.plural("importUpdated", updated),
      unchanged > 0 && texts.plural("importUnchanged", unchanged),
      archived > 0 && texts.plural("importArchived", archived),
      ...failed.map(({ where, reason }) => `${where}: ${reason}`),
      keysFound.length > 0 && texts.t("importKeys"),
    ]
      .filter(Boolean)
      .join("\n");
  }

  /**
   * @param {string} text
   * @param {...Node} more
   */
  #say(text, ...more) {
    need("#data-result").replaceChildren(h("p", { class: "result" }, text), ...more);
  }
}
