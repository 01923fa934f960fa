/** How much of the model's context window the next question will take, about. */

import { need, setProp } from "../lib/dom.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Report } from "../lib/protocol.js" */

/** Roughly, for text in Latin letters; the host counts better, once it is asked. */
const CHARS_PER_TOKEN = 4;
const NEARLY_FULL = 0.85;

export class Gauge {
  /** @param {Texts} texts */
  constructor(texts) {
    this.texts = texts;
    /** @type {HTMLMeterElement} */
    this.meter = need("#gauge");
  }

  /**
   * @param {Report | undefined} report of the last request; without one the window is not known
   * @param {number} charsMore what has come since: the answer, what is typed and attached
   * @returns {boolean} whether it is nearly full, or more than goes into a request
   */
  show(report, charsMore) {
    const window = report?.windowTokens ?? 0;
    this.meter.hidden = window === 0;
    if (!report || window === 0) return false;
    const used = Math.min(window, report.estimatedTokens + Math.round(charsMore / CHARS_PER_TOKEN));
    const text = this.texts.t("gauge", { used: this.texts.number(used), window: this.texts.number(window) });
    Object.assign(this.meter, { max: window, high: window * NEARLY_FULL, value: used });
    setProp(this.meter, "aria-label", text);
    setProp(this.meter, "title", text);
    return report.messagesDropped > 0 || used >= window * NEARLY_FULL;
  }
}
