/** The person's data: how much there is, where it lies, its backups, out of it and into it. */

import { COMMANDS } from "../lib/commands.js";
import { h, need } from "../lib/dom.js";
import { command } from "../lib/notices.js";
import { Exporting } from "./exporting.js";
import { Importing } from "./importing.js";
import { LongWork } from "./long-work.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { Backup } from "../lib/protocol.js" */

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
    const work = new LongWork(host, texts, { guard, say });
    this.importing = new Importing(host, texts, work, { say, onDone: () => this.read() });
    this.exporting = new Exporting(host, texts, work, say);
    need("#where").append(h("p", { class: "hint" }, texts.t("dataWhere")), command(COMMANDS.doctor, texts));
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

  /**
   * @param {string} text
   * @param {...Node} more
   */
  #say(text, ...more) {
    need("#data-result").replaceChildren(h("p", { class: "result" }, text), ...more);
  }
}
