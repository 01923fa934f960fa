/** What goes with the next question: attached, looked at, taken back. */

import * as browser from "../lib/chrome.js";
import { say } from "../lib/error-text.js";
import { HostError } from "../lib/host-errors.js";
import { addText, bring, chooseFiles } from "./attach-file.js";
import { attachPage, capturePage, NotAttached } from "./attach-page.js";
import { AttachQueue } from "./attach-queue.js";
import { Crop } from "./crop.js";
import { Inspect } from "./inspect.js";

/** @import { Choice } from "../lib/menu.js" */
/** @import { AttachmentItem } from "./items.js" */
/** @import { Added } from "./attach-file.js" */
/** @import { How } from "./attach-page.js" */
/** @import { Panel } from "./panel.js" */

/** A paste of more than this is no question any more: it goes along as an attachment. */
const LARGE_PASTE_CHARS = 4_000;

/** @typedef {{id: string, name: string, dataUrl: string}} WaitingPicture */
/** @typedef {(how: {ask: boolean}) => Promise<void>} Again tries once more, where the person wants to be asked */

export class Attaching {
  /** @type {WaitingPicture[]} pictures for the next question; the host gets them with it */
  pictures = [];

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.crop = new Crop();
    this.inspector = new Inspect(panel.host, panel.texts);
    this.queue = new AttachQueue(() => panel.alert.clear());
  }

  /** @returns {Choice[]} what the menu beside Attach page offers */
  get choices() {
    const { texts } = this.panel;
    return [
      { label: texts.t("attachSelection"), action: "attach-selection", run: () => void this.page({ what: "selection" }) },
      { label: texts.t("attachArea"), action: "attach-area", run: () => void this.area() },
      { label: texts.t("attachFile"), action: "attach-file", run: () => chooseFiles((files) => void this.files(files)) },
    ];
  }

  /** @param {How} [how] */
  async page(how) {
    const { panel } = this;
    await this.#click((ask) => this.page({ ...how, ...ask }), async () => {
      panel.status.pass(panel.texts.t("readingPage"));
      const added = await attachPage(this.#means, how);
      const wasThere = panel.conversation.has(added.url);
      this.#added(added, added); // first: whatever comes after, it is in the conversation
      const note = how?.what === "selection" ? "attached" : await this.#compare(added, wasThere);
      const leftOut = added.leftOut ? ` ${panel.texts.plural("leftOut", added.leftOut)}` : "";
      panel.status.pass(panel.texts.t(note, { title: added.title }) + leftOut);
    });
  }

  /** A picture of what the tab shows, or of a part of it. @param {{ask?: boolean}} [how] */
  async area(how) {
    await this.#click((ask) => this.area(ask), async () => {
      const shown = await capturePage({ ...this.#means, browser }, how);
      await this.crop.open(shown, (dataUrl) => this.#addPicture(this.panel.texts.t("areaOfPage"), dataUrl));
    });
  }

  /** What was pasted or dropped. @param {Iterable<File>} files */
  async files(files) {
    const brought = [...files];
    await this.#inTurn(async () => {
      const refused = new Set();
      for (const file of brought) await this.#file(file).catch((error) => refused.add(this.#said(error)));
      if (refused.size > 0) throw new NotAttached([...refused].join(" "));
    });
  }

  /** @param {File} file */
  async #file(file) {
    const { panel } = this;
    if (file.type === "application/pdf") panel.status.pass(panel.texts.t("readingFile", { name: file.name }));
    const brought = await bring(file, panel.host, panel.texts);
    if ("picture" in brought) this.#addPicture(file.name, brought.picture);
    else this.#addedAlone(brought.added);
  }

  /**
   * @param {string} text
   * @returns {boolean} whether it is so much that it becomes an attachment
   */
  pasted(text) {
    if (text.length < LARGE_PASTE_CHARS) return false;
    const title = this.panel.texts.t("pastedText", { beginning: text.trim().slice(0, 40).replace(/\s+/g, " ") });
    void this.#inTurn(async () => this.#addedAlone(await addText(this.panel.host, { title, mode: "paste", text })));
    return true;
  }

  /** @param {AttachmentItem | WaitingPicture} item */
  async inspect(item) {
    try {
      if ("attachId" in item) await this.inspector.text(item);
      else this.inspector.picture(item);
    } catch (error) {
      this.panel.complain(error);
    }
  }

  /** @param {string} attachId of an attachment that a rescue or a summary has shortened */
  async restore(attachId) {
    const { panel } = this;
    try {
      await panel.host.request("attachments.restore", { attachId });
      await panel.sync.read();
    } catch (error) {
      panel.complain(error);
    }
  }

  /** Take back this one. @param {AttachmentItem | WaitingPicture} item */
  async remove(item) {
    const { panel } = this;
    if ("attachId" in item) {
      try {
        await panel.host.request("attachments.remove", { attachId: item.attachId });
      } catch (error) {
        if (!(error instanceof HostError && error.kind === "not_found")) return panel.complain(error);
      }
      panel.conversation.detached(item.attachId);
    } else this.pictures = this.pictures.filter(({ id }) => id !== item.id);
    panel.showAll();
    panel.composer.focus();
  }

  /** The host has a question with these. @param {WaitingPicture[]} sent */
  sent(sent) {
    this.pictures = this.pictures.filter((picture) => !sent.includes(picture));
    this.panel.showAll();
  }

  /** Move the video that the conversation is about. @param {number} seconds */
  async seek(seconds) {
    const { panel } = this;
    const { page } = await panel.host.request("page.recall", { url: panel.conversation.videoSrc });
    const found = page !== null && (await browser.seekVideo(page.tabId, seconds));
    if (!found) panel.status.pass(panel.texts.t("videoGone"));
  }

  get #means() {
    const { panel } = this;
    return { browser, area: browser.profileArea, host: panel.host, clock: browser.clock, texts: panel.texts };
  }

  /** @param {Again} again @param {() => Promise<void>} work */
  #click(again, work) {
    return this.queue.click(() => this.#attempt(work, again));
  }

  /** @param {() => Promise<void>} work */
  #inTurn(work) {
    return this.queue.inTurn(() => this.#attempt(work));
  }

  /**
   * With what goes wrong told.
   * @param {() => Promise<void>} work
   * @param {Again} [again]
   * @returns {Promise<boolean>} whether it went well
   */
  async #attempt(work, again) {
    const { panel } = this;
    try {
      await work();
      return true;
    } catch (error) {
      panel.status.pass("");
      const ask = error instanceof NotAttached && error.canAsk && again ? { label: panel.texts.t("allowSites"), run: () => void again({ ask: true }) } : undefined;
      if (error instanceof NotAttached) panel.alert.show({ text: error.message }, ask);
      else panel.complain(error);
      return false;
    }
  }

  /** @param {unknown} error */
  #said(error) {
    return error instanceof NotAttached ? error.message : say(error, this.panel.texts).text;
  }

  /**
   * Whether a page is another than when it was attached last; remembers it as it is now.
   * @param {{url: string, tabId: number, text: string, base64?: string}} page
   * @param {boolean} wasThere whether the conversation has it from before
   */
  async #compare({ url, tabId, text, base64 = "" }, wasThere) {
    const digest = await sha256(base64 || text);
    const { page: before } = await this.panel.host.request("page.recall", { url });
    await this.panel.host.request("page.remember", { url, tabId, digest });
    if (!before || !wasThere) return "attached";
    return before.digest === digest ? "attachedUnchanged" : "attachedChanged";
  }

  /**
   * @param {string} name
   * @param {string} dataUrl
   */
  #addPicture(name, dataUrl) {
    const { panel } = this;
    this.pictures = [...this.pictures, { id: crypto.randomUUID(), name, dataUrl }];
    panel.showAll();
    panel.status.pass(panel.texts.t("attached", { title: name }));
    panel.composer.focus();
  }

  /** What comes from no page. @param {Added} added */
  #addedAlone(added) {
    this.#added(added, { url: "" });
    this.panel.status.pass(this.panel.texts.t("attached", { title: added.title }));
  }

  /**
   * @param {Added} added
   * @param {{url: string, videoSrc?: string}} source
   */
  #added(added, source) {
    this.panel.conversation.attached(added, source);
    this.panel.showAll();
    this.panel.composer.focus();
  }
}

/** @param {string} text */
async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
