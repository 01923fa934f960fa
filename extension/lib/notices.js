/** What the panel tells: one status line, one alert with its next step, and the screen for a host that is not there. */

import { COMMANDS, IN_FOLDER } from "./commands.js";
import { h } from "./dom.js";

/** @import { Said } from "./error-text.js" */
/** @import { Texts } from "./i18n.js" */
/** @import { HostStatus } from "./types.js" */

const PASSING_MS = 8_000;

export class StatusLine {
  #standing = "";
  #timer = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} text what stands there when nothing has just happened */
  stand(text) {
    this.#standing = text;
    if (!this.#timer) this.#write(text);
  }

  /** @param {string} text shown for a while; "" ends that at once */
  pass(text) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#write(text || this.#standing);
    if (!text) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#write(this.#standing);
    }, PASSING_MS);
  }

  /** @param {string} text */
  #write(text) {
    if (this.root.textContent !== text) this.root.textContent = text;
  }
}

export class Alert {
  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   */
  constructor(root, texts) {
    this.root = root;
    this.texts = texts;
  }

  /**
   * @param {Said} said
   * @param {{label: string, run: () => void}} [step] the next step, as a button
   */
  show(said, step) {
    const close = h("button", { type: "button", class: "quiet", onclick: () => this.clear() }, this.texts.t("dismiss"));
    const go = step && h("button", { type: "button", "data-action": "next-step", onclick: step.run }, step.label);
    this.root.replaceChildren(h("p", {}, said.text), ...(said.command ? [command(said.command, this.texts)] : []), h("div", { class: "steps" }, go, close));
    this.root.hidden = false;
  }

  clear() {
    this.root.replaceChildren();
    this.root.hidden = true;
  }
}

/** The screen for a missing, outdated or crashed host. */
export class Trouble {
  #shown = "";

  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   * @param {() => void} onRetry
   */
  constructor(root, texts, onRetry) {
    this.root = root;
    this.texts = texts;
    this.onRetry = onRetry;
  }

  get hidden() {
    return this.#shown === "";
  }

  /** @param {HostStatus} status */
  show(status) {
    const { texts } = this;
    // While it is being tried again the screen stays as it is: nothing jumps, nothing is read out again, the button keeps its focus.
    if (status.state === "starting" && !this.hidden) return;
    const key = status.state === "ready" || status.state === "starting" ? "" : `${status.state} ${status.reason} ${status.area} ${status.message}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.root.hidden = key === "";
    if (key === "") {
      this.root.replaceChildren();
      return;
    }
    this.root.replaceChildren(
      h("h2", {}, texts.t(`state_${status.state.replace("-", "_")}`)),
      h("p", { role: "alert" }, texts.t(`host_${status.reason}`)),
      ...(status.area === "browser" || status.area === "away" ? [h("p", { class: "area" }, texts.t(`area_${status.area}`))] : []),
      ...(status.command ? [command(status.command, texts)] : []),
      h("button", { type: "button", class: "main wide", "data-action": "check-again", onclick: this.onRetry }, texts.t("checkAgain")),
      ...(status.message ? [h("p", { class: "said" }, texts.t("browserSaid", { said: status.message }))] : []),
    );
  }
}

/**
 * A command to be run in a terminal, with a button that copies it.
 * @param {string} line
 * @param {Texts} texts
 */
export function command(line, texts) {
  const copy = h("button", { type: "button", class: "quiet", "data-action": "copy-command" }, texts.t("copy"));
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(line);
    copy.textContent = texts.t("copied");
  });
  const inFolder = IN_FOLDER && Object.values(COMMANDS).includes(line);
  return h("div", { class: "command" }, h("code", {}, line), copy, inFolder && h("p", { class: "hint" }, texts.t("commandFolder")));
}
