/** The panel: what the host tells is put into the conversation, the views show it, and what a person does goes to the host. */

import * as browser from "../lib/chrome.js";
import { AreaNotice } from "../lib/area-notice.js";
import { need } from "../lib/dom.js";
import { Draft } from "../lib/draft.js";
import { say } from "../lib/error-text.js";
import { HostError } from "../lib/host-errors.js";
import { HostNotices } from "../lib/host-notices.js";
import { menuButton } from "../lib/menu.js";
import { Alert, StatusLine, Trouble } from "../lib/notices.js";
import { onceAFrame } from "../lib/once-a-frame.js";
import { PROMPTS_KEY } from "../lib/prompts.js";
import { GET_ALL_KEYS } from "../lib/settings-keys.js";
import { Asking } from "./asking.js";
import { Attaching } from "./attaching.js";
import { Chips } from "./chips.js";
import { Compacting } from "./compacting.js";
import { Composer } from "./composer.js";
import { firstSteps } from "./first-steps.js";
import { Gauge } from "./gauge.js";
import { NewChat } from "./new-chat.js";
import { PictureViewer } from "./picture-viewer.js";
import { ProviderChoice } from "./provider-choice.js";
import { SettingsInForce } from "./settings-in-force.js";
import { Welcome } from "./welcome.js";

/** @import { LifeStatusChanged } from "../lib/protocol.js" */
/** @import { HostStatus } from "../lib/types.js" */
/** @import { Chats } from "./chats.js" */
/** @import { Opened } from "./opening.js" */

export class App {
  /** Whether the host or the worker ended while an answer was made. */
  #cutOff = false;
  /** The status under which the opening panel has read the conversation: it need not be read again. @type {HostStatus | null} */
  #read;
  /** @type {Promise<Chats> | undefined} */
  #chats;
  /** The host's, as it last said hello. */
  #version = "";

  /** @param {Opened} opened */
  constructor({ host, texts, conversation, sync, transcript, read }) {
    this.host = host;
    this.texts = texts;
    this.conversation = conversation;
    this.sync = sync;
    this.transcript = transcript;
    this.#read = read;
    this.status = new StatusLine(need("#status"));
    this.alert = new Alert(need("#alert"), texts);
    this.trouble = new Trouble(need("#trouble"), texts, () => this.#checkAgain());
    this.areaNotice = new AreaNotice(need("#area-notice"), texts, () => void this.host.request("area.accept").catch((error) => this.complain(error)));
    this.hostNotices = new HostNotices(need("#host-notices"), texts);
    const complain = (/** @type {unknown} */ error) => this.complain(error);
    this.viewer = new PictureViewer(this.host, texts, complain);
    this.asking = new Asking(this);
    this.attaching = new Attaching(this);
    this.compacting = new Compacting(this);
    this.chips = new Chips(need("#chips"), texts, { onInspect: (item) => void this.attaching.inspect(item), onRemove: (item) => void this.attaching.remove(item) });
    this.composer = new Composer(new Draft(browser.profileArea), texts, {
      onSend: (text) => void (this.compacting.takes(text) || this.asking.send(text)),
      onStop: () => this.asking.stop(),
      onInput: () => this.#showGauge(),
      onFiles: (files) => void this.attaching.files(files),
      onPaste: (text) => this.attaching.pasted(text),
      asked: () => this.conversation.asked,
    });
    this.gauge = new Gauge(texts);
    this.choice = new ProviderChoice(texts, { onChoose: (choice) => this.settings.choose(choice), onSettings: browser.openOptions });
    this.welcome = new Welcome(need("#welcome"), texts, firstSteps(this, () => this.settings.read()));
    this.settings = new SettingsInForce(this);
    this.newChat = new NewChat(this);
  }

  async start() {
    this.sync.events = { onChange: onceAFrame(() => this.showAll()), onStarted: (event, late) => this.asking.started(event, late), onError: (error) => this.complain(error) };
    this.#listen();
    if (this.host.status.state !== "starting") this.#hostIs(this.host.status);
    await this.composer.restore();
    await this.newChat.restore();
    this.composer.focus();
  }

  #listen() {
    const { host } = this;
    host.on("host.state", (status) => this.#hostIs(status));
    host.on("status.changed", (event) => this.#hostTells(event));
    host.on("turn.status", (event) => this.#turnStatus(event));
    host.on("storage.onChanged", ({ changes }) => this.#stored(changes));
    const buttons = { "attach-page": () => this.attaching.page(), "new-chat": () => this.newChat.start(), "temporary-chat": () => this.newChat.startTemporary(), settings: browser.openOptions, chats: () => this.#openChats() };
    // The weights are fetched in a terminal: whoever comes back from there sees that they have arrived.
    window.addEventListener("focus", () => this.welcome.modelMissing && this.settings.readSoon());
    menuButton(need('[data-action="attach-more"]'), () => this.attaching.choices);
    for (const [action, run] of Object.entries(buttons)) need(`[data-action="${action}"]`).addEventListener("click", () => void run());
  }

  /** @param {HostStatus} status */
  #hostIs(status) {
    this.#tellOfUpdate(status.hello?.version ?? "");
    this.trouble.show(status);
    this.areaNotice.show(status);
    if (status.area === "browser") this.settings.readSoon();
    if (status.state === "ready") void this.#ready();
    else {
      this.#setState(status.state);
      this.#cutOff ||= this.conversation.live !== null;
    }
    this.showAll();
  }

  /**
   * The host was replaced by another version while this panel was open.
   * @param {string} version "" while no host has answered
   */
  #tellOfUpdate(version) {
    if (version && this.#version && version !== this.#version) this.status.pass(this.texts.t("hostUpdated", { version }));
    this.#version = version || this.#version;
  }

  /** The conversation is read before the panel calls itself ready: what a person does then meets what is there. */
  async #ready() {
    try {
      const read = this.#read === this.host.status;
      this.#read = null;
      await Promise.all([read || this.sync.read(), this.settings.read()]);
      this.#tellOfCutOff();
      if (this.host.status.state === "ready") this.#setState("ready");
      // Large values would be sent to every panel at every change; that they changed is enough.
      await this.host.request("storage.watch", { keys: ["history", "session_*"], values: false });
    } catch (error) {
      this.complain(error);
    } finally {
      this.sync.wantPictures();
    }
  }

  /** An answer ended with its host or with the worker. What came of it is stored; where nothing is, the person must know. */
  #tellOfCutOff() {
    const last = this.conversation.items.at(-1);
    const unanswered = last?.kind === "message" && last.message.role === "user" && this.conversation.live === null;
    if (this.#cutOff && unanswered && !this.asking.busy) this.alert.show({ text: this.texts.t("answerLost") });
    this.#cutOff = false;
  }

  /** @param {string} state */
  #setState(state) {
    document.documentElement.dataset.state = state;
  }

  /** The drawer is loaded when it is opened for the first time. */
  async #openChats() {
    const { host, texts } = this;
    this.#chats ??= import("./chats.js").then(({ Chats }) => new Chats(host, texts, { onOpened: () => this.turnedTo(), say: (error) => say(error, texts).text }));
    await (await this.#chats).open(this.conversation.sessionId);
  }

  /** @param {Record<string, object>} changes */
  #stored(changes) {
    if ("savedSessions" in changes) void this.#chats?.then((chats) => chats.changed());
    if (Object.keys(changes).some((key) => key !== "activeSessionId" && [...GET_ALL_KEYS, PROMPTS_KEY].includes(key))) this.settings.readSoon();
  }

  /** @param {LifeStatusChanged} event */
  #hostTells({ notices }) {
    this.hostNotices.show(notices);
    // Another store is in place of the one that was read.
    if (notices.some(({ kind }) => kind === "store")) this.sync.changed();
    this.settings.readSoon();
  }

  /** @param {{turn: string, kind: string}} event */
  #turnStatus({ turn, kind }) {
    if (this.conversation.live?.turn === turn && this.texts.has(`turn_${kind}`)) this.status.pass(this.texts.t(`turn_${kind}`));
  }

  showAll() {
    const { conversation } = this;
    this.transcript.render();
    this.chips.show([...conversation.waiting, ...this.attaching.pictures]);
    this.#showGauge();
    this.composer.setRunning(conversation.live !== null);
    this.welcome.show(conversation.loaded && conversation.shown.length === 0 && !conversation.live && this.trouble.hidden);
  }

  /** What is typed is counted at each key: everything else about the gauge is known already. */
  #showGauge() {
    const { report, charsSince } = this.conversation.weight;
    this.compacting.offer(this.gauge.show(report, charsSince + this.composer.input.value.length));
  }

  /** Another conversation is the live one now. */
  turnedTo() {
    return this.newChat.turnedTo();
  }

  async #checkAgain() {
    this.status.pass(this.texts.t("checking"));
    const status = await this.host.request("host.retry").catch((error) => this.complain(error));
    this.status.pass("");
    if (status?.state === "ready") this.composer.focus();
  }

  /** @param {unknown} error */
  complain(error) {
    const said = say(error, this.texts);
    // What is wrong with the host has its own screen.
    if (error instanceof HostError && error.data.reason && !this.trouble.hidden) return;
    this.status.pass(""); // what was going on has ended
    const step = said.step === "settings" ? { label: this.texts.t("openSettings"), run: browser.openOptions } : undefined;
    this.alert.show(said, step);
  }
}
