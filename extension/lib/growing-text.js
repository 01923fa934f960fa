/** A text that arrives in pieces, each with the offset where it belongs; pieces may come twice. */

import { countCodePoints, dropCodePoints } from "./code-points.js";

export class GrowingText {
  #text = "";
  #length = 0;

  get text() {
    return this.#text;
  }

  /** In code points. */
  get length() {
    return this.#length;
  }

  /** @param {string} text the whole of it so far, from turn.peek */
  replace(text) {
    this.#text = text;
    this.#length = countCodePoints(text);
  }

  /**
   * @param {number} offset in code points
   * @param {string} piece
   * @returns {boolean} false at a gap: something before this piece is missing, and the piece was not taken
   */
  add(offset, piece) {
    if (offset > this.#length) return false;
    const fresh = dropCodePoints(piece, this.#length - offset);
    this.#text += fresh;
    this.#length += countCodePoints(fresh);
    return true;
  }
}
