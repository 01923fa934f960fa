/** Everything that is kept, written to a file in the data home: how far it is, and where it lies. */

import { need } from "../lib/dom.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { TransferExportParams } from "../lib/protocol.js" */
/** @import { LongWork } from "./long-work.js" */

const EXPORT = { name: "exportProgress", stopped: "exportStopped" };

export class Exporting {
  /**
   * @param {Pick<HostClient, "request">} host
   * @param {Texts} texts
   * @param {LongWork} work
   * @param {(text: string) => void} say
   */
  constructor(host, texts, work, say) {
    this.host = host;
    this.texts = texts;
    this.work = work;
    this.say = say;
    need('[data-action="export"]').addEventListener("click", () => void work.run(EXPORT, () => this.#export()));
  }

  async #export() {
    const format = /** @type {TransferExportParams["format"]} */ (/** @type {HTMLSelectElement} */ (need("#export-format")).value);
    const redact = /** @type {HTMLInputElement} */ (need("#export-redact")).checked;
    this.work.transfer = crypto.randomUUID();
    const order = { what: /** @type {const} */ ("all"), format, redact, transfer: this.work.transfer };
    const { file, bytes } = await this.host.request("transfer.export", order, { signal: this.work.signal });
    this.say(this.texts.t("exported", { file, size: this.texts.bytes(bytes) }));
  }
}
