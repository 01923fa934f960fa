/** A picture of the page, of which a person takes a part: by dragging, or with the arrow keys. */

import { need } from "../lib/dom.js";
import { drawn } from "../lib/picture-file.js";

/** One press of an arrow key, as a part of the picture's edge. */
const STEP = 0.05;

/** @typedef {{x: number, y: number, width: number, height: number}} Part as fractions of the picture's edges */

export class Crop {
  /** @type {Part} */
  #part = whole();
  /** @type {(dataUrl: string) => void} */
  #done = () => {};

  constructor() {
    /** @type {HTMLDialogElement} */
    this.dialog = need("#crop");
    /** @type {HTMLImageElement} */
    this.picture = need("#crop-picture");
    this.box = need("#crop-box");
    need('[data-action="crop-take"]').addEventListener("click", () => this.#take());
    need('[data-action="crop-cancel"]').addEventListener("click", () => this.dialog.close());
    const stage = need("#crop-stage");
    stage.addEventListener("pointerdown", (event) => this.#drag(stage, event));
    this.box.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * @param {string} dataUrl
   * @param {(dataUrl: string) => void} done gets the part that was taken
   */
  async open(dataUrl, done) {
    this.#done = done;
    this.picture.src = dataUrl;
    await this.picture.decode();
    this.dialog.showModal();
    this.#show(whole());
    this.box.focus();
  }

  #take() {
    const { naturalWidth, naturalHeight } = this.picture;
    const { x, y, width, height } = this.#part;
    this.#done(drawn(this.picture, { x: x * naturalWidth, y: y * naturalHeight, width: width * naturalWidth, height: height * naturalHeight }));
    this.dialog.close();
  }

  /**
   * @param {HTMLElement} stage
   * @param {PointerEvent} down
   */
  #drag(stage, down) {
    const box = stage.getBoundingClientRect();
    const at = (/** @type {PointerEvent} */ event) => ({ x: clamp((event.clientX - box.left) / box.width), y: clamp((event.clientY - box.top) / box.height) });
    const start = at(down);
    const dragging = new AbortController();
    down.preventDefault();
    stage.setPointerCapture(down.pointerId);
    stage.addEventListener(
      "pointermove",
      (event) => {
        const end = at(event);
        const part = { x: Math.min(start.x, end.x), y: Math.min(start.y, end.y), width: Math.abs(start.x - end.x), height: Math.abs(start.y - end.y) };
        // A click that trembled is no part.
        if (part.width > 0.02 && part.height > 0.02) this.#show(part);
      },
      { signal: dragging.signal },
    );
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => dragging.abort(), { signal: dragging.signal });
  }

  /** Arrows move the part, with Shift they change its size. @param {KeyboardEvent} event */
  #key(event) {
    const dx = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key] ?? 0;
    const dy = { ArrowUp: -STEP, ArrowDown: STEP }[event.key] ?? 0;
    if (event.key === "Enter") this.#take();
    if (!dx && !dy) return;
    event.preventDefault();
    const { x, y, width, height } = this.#part;
    const part = event.shiftKey ? { x, y, width: bound(width + dx, STEP, 1 - x), height: bound(height + dy, STEP, 1 - y) } : { x: bound(x + dx, 0, 1 - width), y: bound(y + dy, 0, 1 - height), width, height };
    this.#show(part);
  }

  /** @param {Part} part */
  #show(part) {
    this.#part = part;
    const { x, y, width, height } = part;
    Object.assign(this.box.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` });
  }
}

/** @returns {Part} */
function whole() {
  return { x: 0, y: 0, width: 1, height: 1 };
}

/** @param {number} value */
function clamp(value) {
  return bound(value, 0, 1);
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function bound(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
