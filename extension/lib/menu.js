/** A button that opens a short menu: arrow keys move in it, Escape closes it, and the focus goes back to the button. */

import { h, setProp } from "./dom.js";

/** @typedef {{label: string, action: string, run: () => void}} Choice */

/**
 * @param {HTMLButtonElement} button
 * @param {() => Choice[]} choices asked for when it opens
 */
export function menuButton(button, choices) {
  const menu = h("div", { class: "menu", role: "menu", popover: "auto" });
  setProp(button, "aria-haspopup", "menu");
  setProp(button, "aria-expanded", "false");
  button.after(menu);
  button.addEventListener("click", () => {
    menu.replaceChildren(...choices().map((choice) => item(choice, menu)));
    menu.showPopover();
    place(menu, button);
    /** @type {HTMLElement} */ (menu.firstElementChild).focus();
  });
  menu.addEventListener("toggle", (event) => {
    const open = /** @type {ToggleEvent} */ (event).newState === "open";
    setProp(button, "aria-expanded", String(open));
    if (!open && (menu.contains(document.activeElement) || document.activeElement === document.body)) button.focus();
  });
  menu.addEventListener("keydown", (event) => move(event, menu));
}

/**
 * @param {Choice} choice
 * @param {HTMLElement} menu
 */
function item({ label, action, run }, menu) {
  const pick = () => {
    menu.hidePopover();
    run();
  };
  return h("button", { type: "button", role: "menuitem", tabindex: -1, "data-action": action, onclick: pick }, label);
}

/**
 * Beside its button, where there is more room.
 * @param {HTMLElement} menu
 * @param {HTMLElement} button
 */
function place(menu, button) {
  const box = button.getBoundingClientRect();
  const above = box.top > innerHeight - box.bottom;
  menu.style.top = above ? "auto" : `${box.bottom + 4}px`;
  menu.style.bottom = above ? `${innerHeight - box.top + 4}px` : "auto";
  const left = Math.min(box.left, innerWidth - menu.offsetWidth - 8);
  menu.style.left = `${Math.max(8, left)}px`;
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} menu
 */
function move(event, menu) {
  const items = /** @type {HTMLElement[]} */ ([...menu.children]);
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 };
  if (event.key === "Tab") menu.hidePopover();
  if (!(event.key in steps)) return;
  event.preventDefault();
  items.at(steps[/** @type {keyof typeof steps} */ (event.key)] % items.length)?.focus();
}
