/** What goes with the next question: attached, looked at, taken back. */

import * as browser from "../lib/chrome.js";
import { HostError } from "../lib/host-errors.js";
import { attachPage, NotAttached } from "./attach-page.js";

/** @import { Panel } from "./panel.js" */

export class Attaching {
  #busy = false;

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** @param {{ask?: boolean}} [how] */
  async page(how) {
    const { panel } = this;
    if (this.#busy) return;
    panel.alert.clear();
    this.#busy = true;
    panel.status.pass(panel.texts.t("readingPage"));
    try {
      const means = { browser, area: browser.profileArea, host: panel.host, clock: browser.clock, texts: panel.texts };
      const added = await attachPage(means, how);
      panel.conversation.attached(added, added);
      panel.showAll();
      panel.status.pass(panel.texts.t("attached", { title: added.title }));
      panel.composer.focus();
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {unknown} error */
  #complain(error) {
    const { panel } = this;
    panel.status.pass("");
    if (!(error instanceof NotAttached)) return panel.complain(error);
    const ask = error.canAsk ? { label: panel.texts.t("allowSites"), run: () => void this.page({ ask: true }) } : undefined;
    panel.alert.show({ text: error.message }, ask);
  }

  /** @param {string} attachId */
  async remove(attachId) {
    const { panel } = this;
    try {
      await panel.host.request("attachments.remove", { attachId });
    } catch (error) {
      if (!(error instanceof HostError && error.kind === "not_found")) return panel.complain(error);
    }
    panel.conversation.detached(attachId);
    panel.showAll();
    panel.composer.focus();
  }

  /** Move the video that the conversation is about. @param {number} seconds */
  async seek(seconds) {
    const { panel } = this;
    const found = await browser.seekVideo(panel.conversation.videoSrc, seconds);
    if (!found) panel.status.pass(panel.texts.t("videoGone"));
  }
}
