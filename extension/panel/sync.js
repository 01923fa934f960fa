/**
 * Keeps the conversation equal to what the host has: reads it whole when the panel opens or something is amiss, and puts events into it
 * otherwise. Events that come while it is read are held and put in afterwards; they may tell what was read already.
 */

import { HostError } from "../lib/host-errors.js";

/** @import { HostClient } from "../lib/host-client.js" */
/** @import { TurnsTurnFailed, TurnsTurnStarted } from "../lib/protocol.js" */
/** @import { Conversation, Effect } from "./conversation.js" */

/** Errors after which it is not known whether a request was carried out: the worker or the host ended, or the time was over. */
const UNSURE = new Set(["worker_gone", "host_gone", "host_crashed", "timeout"]);

/**
 * @param {unknown} error
 * @returns {error is HostError}
 */
export function isUnsure(error) {
  return error instanceof HostError && UNSURE.has(error.kind);
}

/**
 * @typedef {object} SyncEvents
 * @property {() => void} onChange the conversation is to be shown anew
 * @property {(event: TurnsTurnStarted, late: boolean) => Effect} onStarted puts a turn that begins into the conversation
 * @property {(error: unknown) => void} onError
 */

export class Sync {
  /** @type {Promise<void> | null} */
  #reading = null;
  #again = false;
  #stale = false;
  #pictures = false;
  /** @type {((late: boolean) => Effect)[]} */
  #held = [];

  /**
   * @param {Pick<HostClient, "request" | "on">} host
   * @param {Conversation} conversation
   * @param {SyncEvents} events
   */
  constructor(host, conversation, events) {
    this.host = host;
    this.conversation = conversation;
    this.events = events;
    this.#listen();
  }

  #listen() {
    const { host, conversation } = this;
    host.on("turn.started", (event) => this.happened((late) => this.events.onStarted(event, late)));
    host.on("turn.delta", (event) => this.happened(() => conversation.grew("text", event)));
    host.on("turn.reasoning", (event) => this.happened(() => conversation.grew("reasoning", event)));
    host.on("turn.done", (event) => this.happened(() => conversation.done(event)));
    host.on("turn.failed", (event) => this.happened(() => this.#failed(event)));
    host.on("storage.onChanged", ({ changes }) => {
      if ("activeSessionId" in changes) this.#turned();
      else if ("history" in changes) this.changed();
    });
  }

  /**
   * @param {TurnsTurnFailed} event
   * @returns {Effect}
   */
  #failed(event) {
    const effect = this.conversation.failed(event);
    if (effect !== "ignore") this.events.onError(HostError.fromWire(event.error));
    return effect;
  }

  /**
   * The host has announced something.
   * @param {(late: boolean) => Effect} event puts it into the conversation; late: it was held, and what was read since is newer
   */
  happened(event) {
    if (this.#reading) this.#held.push(event);
    else this.#take(event(false));
  }

  /** Somebody has written to the conversation: read it, once no answer is being made. Its own writes are known from its events. */
  changed() {
    this.#stale = true;
    this.#readIfStale();
  }

  /** Another conversation is the live one, by whoever's hand: what is shown and what runs here may be another's now. */
  #turned() {
    void this.read().catch((error) => this.events.onError(error));
  }

  /** Read the conversation and what is running. One reading at a time; a wish that comes meanwhile is one more reading. */
  read() {
    if (this.#reading) this.#again = true;
    this.#reading ??= this.#readAndTell();
    return this.#reading;
  }

  async #readAndTell() {
    try {
      await this.#readAll();
    } finally {
      this.#reading = null;
      for (const event of this.#held.splice(0)) this.#take(event(true));
      this.events.onChange();
    }
    if (this.#pictures) void this.#readPictures();
  }

  /** Pictures are wanted from now on. Text is shown first, and the panel loaded: megabytes of pictures must not hold them up. */
  wantPictures() {
    this.#pictures = true;
    void this.#readPictures();
  }

  /** The same, once more if the worker or the host ended meanwhile. */
  async readOverRestart() {
    try {
      await this.read();
    } catch (error) {
      if (!isUnsure(error)) throw error;
      await this.read();
    }
  }

  async #readAll() {
    do {
      this.#again = false;
      this.#stale = false;
      const [history, peek] = await Promise.all([this.host.request("history.get", { pixels: "none" }), this.host.request("turn.peek")]);
      this.conversation.load(history.messages, history.activeSessionId, peek.turns);
    } while (this.#again);
  }

  async #readPictures() {
    if (!this.conversation.lacksPictures) return;
    try {
      const { messages } = await this.host.request("history.get", { pixels: "thumbnail" });
      this.conversation.pictured(messages);
      this.events.onChange();
    } catch (error) {
      this.events.onError(error);
    }
  }

  /** @param {Effect} effect */
  #take(effect) {
    if (effect === "resync") void this.read().catch((error) => this.events.onError(error));
    if (effect !== "ignore") this.events.onChange();
    this.#readIfStale();
  }

  #readIfStale() {
    if (this.#stale && !this.#reading && this.conversation.live === null) void this.read().catch((error) => this.events.onError(error));
  }
}
