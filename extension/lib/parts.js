/** Messages too large for one frame, cut into parts and joined again (docs/protocol.md, Parts). No I/O here. */

/** @import { Part } from "./types.js" */

/** A part's text may double when it is escaped and take three bytes a character: well under the 64 MiB of a frame. */
export const PART_CHARS = 2 ** 20;
export const MAX_STREAMS = 8;
/** V8 holds no string longer than this; the protocol's own limit is 512 MiB of bytes. */
export const MAX_STREAM_CHARS = 2 ** 29 - 24;

/** A part that cannot be taken. Its stream has been dropped. */
export class PartRefused extends Error {
  /**
   * @param {string} message
   * @param {string} stream
   * @param {string} head what had come of the message's text, to tell whose reply is lost
   */
  constructor(message, stream, head) {
    super(message);
    this.name = "PartRefused";
    this.stream = stream;
    this.head = head;
  }
}

/** Joins the parts of interleaved streams. A stream is refused once; what still comes of it is swallowed. */
export class PartAssembler {
  /** @type {Map<string, {texts: string[], chars: number}>} */
  #streams = new Map();
  /** @type {Set<string>} */
  #refused = new Set();

  /** @param {{maxStreams?: number, maxChars?: number}} [limits] */
  constructor({ maxStreams = MAX_STREAMS, maxChars = MAX_STREAM_CHARS } = {}) {
    this.maxStreams = maxStreams;
    this.maxChars = maxChars;
  }

  /**
   * Take one part.
   * @param {Part} part
   * @returns {string | null} the whole message's JSON text with the last part, else null
   * @throws {PartRefused}
   */
  feed(part) {
    const { stream, seq, last, text } = checked(part);
    if (this.#refused.has(stream) && seq !== 0) {
      if (last) this.#refused.delete(stream);
      return null;
    }
    this.#refused.delete(stream);
    const pieces = this.#admit(stream, seq, last);
    pieces.texts.push(text);
    pieces.chars += text.length;
    if (pieces.chars > this.maxChars) this.#refuse(stream, last, `stream ${stream} is longer than ${this.maxChars} characters`);
    if (!last) return null;
    this.#streams.delete(stream);
    return pieces.texts.join("");
  }

  /**
   * Forget an unfinished stream.
   * @param {string} stream
   */
  drop(stream) {
    this.#streams.delete(stream);
  }

  /**
   * @param {string} stream
   * @param {number} seq
   * @param {boolean} last
   */
  #admit(stream, seq, last) {
    let pieces = this.#streams.get(stream);
    if (!pieces && seq === 0) {
      if (this.#streams.size >= this.maxStreams) this.#refuse(stream, last, `more than ${this.maxStreams} messages in parts at once`);
      pieces = { texts: [], chars: 0 };
      this.#streams.set(stream, pieces);
    }
    const due = pieces?.texts.length ?? 0;
    if (!pieces || seq !== due) this.#refuse(stream, last, `part ${seq} of stream ${stream} came where part ${due} was due`);
    return pieces;
  }

  /**
   * @param {string} stream
   * @param {boolean} last
   * @param {string} message
   * @returns {never}
   */
  #refuse(stream, last, message) {
    const head = this.#streams.get(stream)?.texts[0] ?? "";
    this.#streams.delete(stream);
    if (!last) this.#refused.add(stream);
    throw new PartRefused(message, stream, head);
  }
}

/**
 * The parts that carry a message's JSON text. None splits a code point.
 * @param {string} text
 * @param {{stream: string, partChars: number}} how
 * @returns {Generator<{jsonrpc: "2.0", part: Part}>}
 */
export function* split(text, { stream, partChars }) {
  let start = 0;
  let seq = 0;
  do {
    let end = Math.min(start + partChars, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) && end - start > 1) end -= 1;
    yield { jsonrpc: "2.0", part: { stream, seq, last: end === text.length, text: text.slice(start, end) } };
    start = end;
    seq += 1;
  } while (start < text.length);
}

/**
 * The id of the reply whose JSON text begins with `head`, where it can be read.
 * @param {string} head
 * @returns {number | null}
 */
export function replyIdIn(head) {
  const match = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,/.exec(head);
  return match ? Number(match[1]) : null;
}

/** @param {number} unit */
function isHighSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * @param {any} part
 * @returns {Part}
 */
function checked(part) {
  const ok =
    typeof part?.stream === "string" && Number.isInteger(part.seq) && typeof part.last === "boolean" && typeof part.text === "string";
  if (!ok) throw new PartRefused("a part needs stream, seq, last and text", typeof part?.stream === "string" ? part.stream : "", "");
  return part;
}
