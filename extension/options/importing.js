/** A file of chats is sent to the host, looked into, and imported once the person has seen what it would bring. */

import { h, need } from "../lib/dom.js";
import { HostError } from "../lib/host-errors.js";
import { dataUrl } from "../lib/picture-file.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { TransferImport } from "../lib/protocol.js" */

/** As base64 a third more, well below what the browser passes on at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * @typedef {object} ImportingEvents
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {(text: string, ...more: Node[]) => void} say
 * @property {() => Promise<void>} onDone
 */

export class Importing {
  #transfer = "";
  #stop = new AbortController();

  /**
   * @param {Pick<HostClient, "request" | "on">} host
   * @param {Texts} texts
   * @param {ImportingEvents} events
   */
  constructor(host, texts, events) {
    this.host = host;
    this.texts = texts;
    this.events = events;
    this.bar = h("progress", { "aria-label": texts.t("importProgress") });
    /** @type {HTMLInputElement} */
    this.input = need("#import-file");
    this.input.addEventListener("change", () => {
      const [file] = this.input.files ?? [];
      if (file) void this.#run(() => this.#look(file));
    });
    host.on("transfer.progress", ({ transfer, done, total }) => transfer === this.#transfer && this.#show(done, total));
  }

  /** @param {() => Promise<void>} work with a bar and a button that stops it */
  #run(work) {
    const { texts } = this;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.bar.removeAttribute("value");
    const cancel = h("button", { type: "button", "data-action": "stop-import", onclick: () => this.#stop.abort() }, texts.t("stopImport"));
    this.events.say(texts.t("working"), this.bar, cancel);
    return this.events.guard(async () => {
      try {
        await work();
      } catch (error) {
        this.events.say("");
        if (!(error instanceof HostError) || error.kind !== "cancelled") throw error;
        this.events.say(texts.t("importStopped"));
        await this.events.onDone();
      } finally {
        this.input.value = ""; // the same file may be chosen again
      }
    });
  }

  /**
   * @param {number} done
   * @param {number} total
   */
  #show(done, total) {
    this.bar.max = Math.max(1, total);
    this.bar.value = done;
  }

  /** Nothing is written before the person has seen what it would be. @param {File} file */
  async #look(file) {
    const { signal } = this.#stop;
    const { transfer } = await this.host.request("transfer.open", { name: file.name, bytes: file.size }, { signal });
    this.#transfer = transfer;
    for (let seq = 0; seq * CHUNK_BYTES < file.size; seq += 1) {
      const url = await dataUrl(file.slice(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES));
      await this.host.request("transfer.chunk", { transfer, seq, base64: url.slice(url.indexOf(",") + 1) }, { signal });
      this.#show(Math.min(file.size, (seq + 1) * CHUNK_BYTES), file.size);
    }
    const found = await this.host.request("transfer.commit", { transfer, dryRun: true }, { signal });
    const go = h("button", { type: "button", class: "main", "data-action": "confirm-import", onclick: () => void this.#run(() => this.#import(transfer)) }, this.texts.t("importNow"));
    this.events.say(this.#report(found, "wouldImport"), ...(found.added + found.updated + found.archived > 0 ? [go] : []));
    go.focus();
  }

  /** @param {string} transfer */
  async #import(transfer) {
    const done = await this.host.request("transfer.commit", { transfer }, { signal: this.#stop.signal });
    this.events.say(this.#report(done, "imported"));
    await this.events.onDone();
  }

  /**
   * @param {TransferImport} found
   * @param {"wouldImport" | "imported"} key
   */
  #report({ source, added, updated, unchanged, archived, checkpoints, failed, keysFound }, key) {
    const { texts } = this;
    return [
      `${source}: ${texts.plural(key, added)}`,
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
