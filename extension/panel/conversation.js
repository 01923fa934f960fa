/**
 * What the panel knows of the live conversation: the stored messages and the answer that is being streamed. Pure: fed with what the
 * host says, asked by the views. Events may come twice, late, or for another chat.
 */

import { textOf } from "../lib/attachment-header.js";
import { GrowingText } from "../lib/growing-text.js";
import { isQuestion, itemOf, lacksPictures, reportOf } from "./items.js";

/** @import { Message, Report, Running } from "../lib/protocol.js" */
/** @import { Item } from "./items.js" */

/**
 * @typedef {object} LiveTurn
 * @property {string} turn
 * @property {GrowingText} text
 * @property {GrowingText} reasoning
 * @property {Report} [report] what the request leaves out; absent until that has left
 */

/** What an event asks of the panel: nothing, to show what changed, or to read everything again. */
/** @typedef {"ignore" | "show" | "resync"} Effect */

export class Conversation {
  /** @type {Item[]} */
  items = [];
  /** @type {LiveTurn | null} */
  live = null;
  sessionId = "";
  #loaded = false;
  /** @type {Set<string>} turns that run in other chats */
  #elsewhere = new Set();

  /** Whether the host has told what the conversation holds. */
  get loaded() {
    return this.#loaded;
  }

  get empty() {
    return this.items.length === 0 && this.live === null;
  }

  /** Attachments that no question has followed yet: they go with the next one, and can be taken back. */
  get waiting() {
    const last = this.items.findLastIndex(isQuestion);
    return this.items.slice(last + 1).filter((item) => item.kind === "attachment");
  }

  /** What the transcript shows: all but the waiting attachments. */
  get shown() {
    const waiting = new Set(this.waiting);
    return this.items.filter((item) => item.kind === "message" || !waiting.has(item));
  }

  /** The address of the video that the conversation is about, the newest if there are several; "" if none. */
  get videoSrc() {
    const item = this.items.findLast((known) => known.kind === "attachment" && known.videoSrc);
    return item?.kind === "attachment" ? item.videoSrc : "";
  }

  /**
   * What the next request weighs: what the last one was counted at, and how many characters have come since; no report where no answer
   * has one.
   * @returns {{report: Report | undefined, charsSince: number}}
   */
  get weight() {
    if (this.live?.report) return { report: this.live.report, charsSince: this.live.text.length };
    const last = this.items.findLastIndex((item) => reportOf(item));
    const since = this.items.slice(Math.max(0, last)).map((item) => (item.kind === "message" ? textOf(item.message.content).length : item.chars));
    return { report: reportOf(this.items[last]), charsSince: since.reduce((sum, chars) => sum + chars, 0) };
  }

  /** @returns {string[]} the questions so far, oldest first */
  get asked() {
    return this.items.flatMap((item) => (item.kind === "message" && item.message.role === "user" ? [textOf(item.message.content)] : []));
  }

  /** Whether a page is attached. @param {string} url */
  has(url) {
    return this.items.some((item) => item.kind === "attachment" && item.url === url);
  }

  /** @returns {Message | undefined} */
  get lastQuestion() {
    const item = this.items.findLast(isQuestion);
    return item?.kind === "message" ? item.message : undefined;
  }

  /**
   * Take over what the host has stored and what it is working on.
   * @param {Message[]} messages
   * @param {string} sessionId
   * @param {Running[]} turns
   */
  load(messages, sessionId, turns) {
    this.#loaded = true;
    this.items = messages.map(itemOf);
    this.sessionId = sessionId;
    const mine = turns.find((turn) => turn.session === sessionId);
    this.#elsewhere = new Set(turns.filter((turn) => turn !== mine).map(({ turn }) => turn));
    this.live = mine ? { ...liveTurn(mine.turn, mine.text, mine.reasoning), report: mine.report } : null;
  }

  /**
   * The same messages, now with their pictures.
   * @param {Message[]} messages
   */
  pictured(messages) {
    const fresh = new Map(messages.map(itemOf).map((item) => [item.id, item]));
    this.items = this.items.map((item) => (lacksPictures(item) ? (fresh.get(item.id) ?? item) : item));
  }

  /** @returns {boolean} whether some picture has nothing to show yet */
  get lacksPictures() {
    return this.items.some(lacksPictures);
  }

  /**
   * An attachment that has just been stored.
   * @param {{attachId: string, title: string, chars: number}} added
   * @param {{url: string, videoSrc?: string}} source
   */
  attached({ attachId, title, chars }, { url, videoSrc = "" }) {
    if (!this.items.some((item) => item.kind === "attachment" && item.attachId === attachId)) {
      this.items.push({ kind: "attachment", id: attachId, attachId, title, url, chars, wholeChars: chars, pictures: [], videoSrc });
    }
  }

  /** @param {string} attachId */
  detached(attachId) {
    this.items = this.items.filter((item) => item.kind !== "attachment" || item.attachId !== attachId);
  }

  /**
   * @param {{turn: string, user: Message, report?: Report}} event
   * @param {boolean} [late] the conversation was read after this happened: it may be another one by now
   * @returns {Effect}
   */
  started({ turn, user, report }, late = false) {
    if (late && this.live?.turn !== turn && !this.items.some(({ id }) => id === user.id)) {
      return this.#elsewhere.has(turn) ? "ignore" : "resync";
    }
    this.#put(user);
    if (this.live?.turn !== turn) this.live = liveTurn(turn);
    this.live.report = report;
    return "show";
  }

  /**
   * @param {"text" | "reasoning"} channel
   * @param {{turn: string, offset: number, text: string}} event
   * @returns {Effect}
   */
  grew(channel, { turn, offset, text }) {
    if (this.live?.turn !== turn) return "ignore";
    return this.live[channel].add(offset, text) ? "show" : "resync";
  }

  /**
   * @param {{turn: string, message: Message}} event
   * @returns {Effect} resync for a turn that was not watched: its answer may belong here or to another chat
   */
  done({ turn, message }) {
    if (this.live?.turn !== turn) return this.items.some((item) => item.id === message.id) ? "ignore" : "resync";
    this.live = null;
    this.#put(message);
    return "show";
  }

  /**
   * The question that an answer belongs to: the last one before it.
   * @param {string} answerId
   */
  questionOf(answerId) {
    const index = this.items.findIndex((item) => item.id === answerId);
    const item = this.items.slice(0, Math.max(0, index)).findLast(isQuestion);
    return item?.kind === "message" ? item.message : undefined;
  }

  /** @param {string} id */
  removed(id) {
    this.items = this.items.filter((item) => item.id !== id);
  }

  /**
   * A message and what follows it are taken out: another is about to take its place.
   * @param {string} id
   */
  truncated(id) {
    const index = this.items.findIndex((item) => item.id === id);
    if (index >= 0) this.items.splice(index);
  }

  /**
   * @param {{turn: string, message?: Message}} event message: what had come of the answer, marked as interrupted
   * @returns {Effect}
   */
  failed({ turn, message }) {
    if (this.live?.turn !== turn) return "ignore";
    this.live = null;
    if (message) this.#put(message);
    return "show";
  }

  /** @param {Message} message */
  #put(message) {
    const item = itemOf(message);
    const index = this.items.findIndex((known) => known.id === item.id);
    if (index < 0) this.items.push(item);
    else this.items[index] = item;
  }
}

/**
 * @param {string} turn
 * @returns {LiveTurn}
 */
function liveTurn(turn, text = "", reasoning = "") {
  const live = { turn, text: new GrowingText(), reasoning: new GrowingText() };
  live.text.replace(text);
  live.reasoning.replace(reasoning);
  return live;
}
