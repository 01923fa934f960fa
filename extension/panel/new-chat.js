/** Another conversation becomes the live one: a new chat, a temporary one, or one from the drawer. */

import { sessionArea } from "../lib/chrome.js";
import { need } from "../lib/dom.js";
import { TEMPORARY_KEY } from "../lib/profile-keys.js";

/** @import { Panel } from "./panel.js" */

export class NewChat {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  /** Another panel of this browser may have begun a temporary chat. */
  async restore() {
    this.#show((await sessionArea.get(TEMPORARY_KEY)) === true);
  }

  async start() {
    const { alert, conversation, host, status, texts } = this.panel;
    alert.clear();
    const kept = conversation.shown.length > 0;
    try {
      await host.request("history.clear");
      await this.turnedTo();
      if (kept) status.pass(texts.t("chatKept"));
    } catch (error) {
      this.panel.complain(error);
    }
  }

  /** A chat that is kept nowhere: it ends with the next one. */
  async startTemporary() {
    const { host, status, texts } = this.panel;
    try {
      await host.request("history.clear", { temporary: true });
      await this.turnedTo({ temporary: true });
      status.pass(texts.t("temporaryStarted"));
    } catch (error) {
      this.panel.complain(error);
    }
  }

  /** @param {{temporary?: boolean}} [how] */
  async turnedTo({ temporary = false } = {}) {
    const { alert, composer, sync, transcript } = this.panel;
    await sessionArea.set(TEMPORARY_KEY, temporary);
    this.#show(temporary);
    alert.clear();
    transcript.follow();
    await sync.read().catch((error) => this.panel.complain(error));
    composer.focus();
  }

  /** @param {boolean} temporary */
  #show(temporary) {
    need("#temporary-notice").hidden = !temporary;
    document.documentElement.dataset.temporary = String(temporary);
  }
}
