/** A file of chats is sent to the host, looked into, and imported once the person has seen what it would bring. */

import { h, need } from "../lib/dom.js";
import { dataUrl } from "../lib/picture-file.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { TransferImport } from "../lib/protocol.js" */
/** @import { LongWork } from "./long-work.js" */

/** As base64 a third more, well below what the browser passes on at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

const IMPORT = { name: "importProgress", stopped: "importStopped" };

/**
 * @typedef {object} ImportingEvents
 * @property {(text: string, ...more: Node[]) => void} say
 * @property {() => Promise<void>} onDone
 */

export class Importing {
  /**
   * @param {Pick<HostClient, "request">} host
   * @param {Texts} texts
   * @param {LongWork} work
   * @param {ImportingEvents} events
   */
  constructor(host, texts, work, events) {
    this.host = host;
    this.texts = texts;
    this.work = work;
    this.events = events;
    /** @type {HTMLInputElement} */
    this.input = need("#import-file");
    this.input.addEventListener("change", () => {
      const [file] = this.input.files ?? [];
      if (file) void this.#run(() => this.#look(file));
    });
  }

  /** @param {() => Promise<void>} work */
  async #run(work) {
    await this.work.run(IMPORT, work);
    this.input.value = ""; // the same file may be chosen again
  }

  /** Nothing is written before the person has seen what it would be. @param {File} file */
  async #look(file) {
    const { signal } = this.work;
    const { transfer } = await this.host.request("transfer.open", { name: file.name, bytes: file.size }, { signal });
    this.work.transfer = transfer;
    for (let seq = 0; seq * CHUNK_BYTES < file.size; seq += 1) {
      const url = await dataUrl(file.slice(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES));
      await this.host.request("transfer.chunk", { transfer, seq, base64: url.slice(url.indexOf(",") + 1) }, { signal });
      this.work.show(Math.min(file.size, (seq + 1) * CHUNK_BYTES), file.size);
    }
    const found = await this.host.request("transfer.commit", { transfer, dryRun: true }, { signal });
    const go = h("button", { type: "button", class: "main", "data-action": "confirm-import", onclick: () => void this.#run(() => this.#import(transfer)) }, this.texts.t("importNow"));
    this.events.say(this.#report(found, "wouldImport"), ...(found.added + found.updated + found.archived > 0 ? [go] : []));
    go.focus();
  }

  /** @param {string} transfer */
  async #import(transfer) {
    try {
      const done = await this.host.request("transfer.commit", { transfer }, { signal: this.work.signal });
      this.events.say(this.#report(done, "imported"));
    } finally {
      await this.events.onDone(); // what came before it was stopped stays
    }
  }

  /**
   * @param {TransferImport} found
   * @param {"wouldImport" | "imported"} key
   */
  #report({ source, added, updated, unchanged, archived, checkpoints, failed, keysFound }, key) {
    const { texts } = this;
    return [
      [source, texts.plural(key, added)].filter(Boolean).join(": "),
      updated > 0 && texts.plural("importUpdated", updated),
      unchanged > 0 && texts.plural("importUnchanged", unchanged),
      archived > 0 && texts.plural("importArchived", archived),
      checkpoints > 0 && texts.plural("importCheckpoints", checkpoints),
      ...failed.map(({ where, reason }) => `${where}: ${reason}`),
      keysFound.length > 0 && texts.t("importKeys"),
    ]
      .filter(Boolean)
      .join("\n");
  }
}
