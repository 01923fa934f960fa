/** What takes a while, one at a time: a bar that says how far it is, a button that stops it, and what is said where it was stopped. */

import { h, setProp } from "../lib/dom.js";
import { HostError } from "../lib/host-errors.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { Texts } from "../lib/i18n.js" */

/**
 * @typedef {object} WorkMeans
 * @property {(work: () => Promise<void>) => Promise<void>} guard runs it and tells what goes wrong
 * @property {(text: string, ...more: Node[]) => void} say in the place of what was said before
 */

export class LongWork {
  /** What the host calls the work whose progress is shown. */
  transfer = "";
  #stop = new AbortController();

  /**
   * @param {Pick<HostClient, "on">} host
   * @param {Texts} texts
   * @param {WorkMeans} means
   */
  constructor(host, texts, means) {
    this.texts = texts;
    this.means = means;
    this.bar = h("progress");
    host.on("transfer.progress", ({ transfer, done, total }) => transfer === this.transfer && this.show(done, total));
  }

  /** Ends what runs when the person stops it. */
  get signal() {
    return this.#stop.signal;
  }

  /**
   * What still runs is stopped.
   * @param {{name: string, stopped: string}} keys of the texts that name the bar, and say that it was stopped
   * @param {() => Promise<void>} work
   * @returns {Promise<void>}
   */
  run(keys, work) {
    const { texts, means } = this;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    setProp(this.bar, "aria-label", texts.t(keys.name));
    setProp(this.bar, "value", null);
    const stop = h("button", { type: "button", "data-action": "stop-work", onclick: () => this.#stop.abort() }, texts.t("stopWork"));
    means.say(texts.t("working"), this.bar, stop);
    return means.guard(async () => {
      try {
        await work();
      } catch (error) {
        if (signal !== this.signal) return; // another has taken its place
        const stopped = error instanceof HostError && error.kind === "cancelled";
        means.say(stopped ? texts.t(keys.stopped) : "");
        if (!stopped) throw error;
      }
    });
  }

  /**
   * @param {number} done
   * @param {number} total
   */
  show(done, total) {
    this.bar.max = Math.max(1, total);
    this.bar.value = done;
  }
}
