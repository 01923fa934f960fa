/** One chat in the drawer: opened, renamed, moved, pinned, deleted. What is asked is asked in its place in the list. */

import { h } from "../lib/dom.js";
import { named } from "../lib/icons.js";
import { menuButton } from "../lib/menu.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Folder, Session, TransferExportParams } from "../lib/protocol.js" */

/** @typedef {TransferExportParams["format"]} Format */

/**
 * @typedef {object} RowMeans
 * @property {Texts} texts
 * @property {string} current the id of the chat that is live
 * @property {Folder[]} folders
 * @property {string[]} words what is searched for: marked where it stands
 * @property {Set<string> | null} chosen ids; null where nothing is being chosen
 * @property {(session: Session) => void} onOpen
 * @property {(session: Session, name: string) => void} onRename
 * @property {(session: Session, pinned: boolean) => void} onPin
 * @property {(session: Session, folder: string | null) => void} onMove
 * @property {(session: Session, format: Format) => void} onExport
 * @property {(session: Session, how: {forGood: boolean}) => void} onDelete
 * @property {(session: Session, chosen: boolean) => void} onChoose
 * @property {(session: Session, row: HTMLElement, onClose: () => void) => void} onCheckpoints
 */

/**
 * @param {Session} session
 * @param {RowMeans} means
 * @returns {HTMLLIElement}
 */
export function chatRow(session, means) {
  const row = h("li", { "data-session-id": session.id, draggable: "true" });
  row.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/x-sidekeep-chat", session.id));
  fill(row, session, means);
  return row;
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 */
function fill(row, session, means) {
  const { texts, chosen } = means;
  const more = /** @type {HTMLButtonElement} */ (tool("more", texts.t("moreAbout", { name: session.name }), () => {}));
  row.replaceChildren(
    ...(chosen ? [choice(session, chosen, means)] : []),
    opener(session, means),
    tool("rename", texts.t("renameChat", { name: session.name }), () => askName(row, session, means)),
    tool("remove", texts.t("deleteChat", { name: session.name }), () => askDelete(row, session, means, { forGood: false })),
    more,
  );
  menuButton(more, () => [
    { label: texts.t(session.pinned ? "unpin" : "pin"), action: "pin-chat", run: () => means.onPin(session, !session.pinned) },
    { label: texts.t("move"), action: "move-chat", run: () => askFolder(row, session, means) },
    { label: texts.t("checkpoints"), action: "list-checkpoints", run: () => means.onCheckpoints(session, row, () => refill(row, session, means)) },
    { label: texts.t("exportChat"), action: "export-chat", run: () => askFormat(row, session, means) },
    { label: texts.t("deleteForGood"), action: "erase-chat", run: () => askDelete(row, session, means, { forGood: true }) },
  ]);
}

/**
 * @param {Session} session
 * @param {RowMeans} means
 */
function opener(session, { texts, current, words, onOpen }) {
  const about = `${texts.shortDate(session.updatedAt, Date.now())} · ${texts.plural("messages", session.messages)}`;
  return h(
    "button",
    { type: "button", class: "open", "data-action": "open-chat", "aria-current": session.id === current && "true", title: `${session.name}\n${texts.date(session.updatedAt)}`, onclick: () => onOpen(session) },
    h("span", { class: "title", dir: "auto" }, session.name),
    session.snippet ? h("span", { class: "snippet", dir: "auto" }, ...marked(session.snippet, words)) : h("span", { class: "about" }, about),
  );
}

/**
 * @param {Session} session
 * @param {Set<string>} chosen
 * @param {RowMeans} means
 */
function choice(session, chosen, { texts, onChoose }) {
  const box = h("input", { type: "checkbox", "aria-label": texts.t("chooseChat", { name: session.name }), "data-action": "choose-chat" });
  box.checked = chosen.has(session.id);
  box.addEventListener("change", () => onChoose(session, box.checked));
  return box;
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function marked(text, words) {
  if (words.length === 0) return [text];
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return text.split(pattern).map((piece, index) => (index % 2 ? h("mark", {}, piece) : piece));
}

/**
 * @param {string} name of its icon
 * @param {string} label
 * @param {() => void} run
 */
function tool(name, label, run) {
  return h("button", { type: "button", class: "quiet", "data-action": `${name}-chat`, "aria-label": label, title: label, onclick: run }, named(name));
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 */
function askName(row, session, means) {
  const { texts } = means;
  const input = h("input", { type: "text", value: session.name, maxlength: 80, "aria-label": texts.t("chatName") });
  ask(row, session, means, { question: input, yes: texts.t("save"), run: () => means.onRename(session, input.value) });
  input.focus();
  input.select();
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 */
function askFolder(row, session, means) {
  const { texts, folders } = means;
  const options = folders.map(({ id, name }) => h("option", { value: id }, name));
  const select = h("select", { "aria-label": texts.t("move") }, h("option", { value: "" }, texts.t("noFolder")), ...options);
  select.value = session.folder ?? "";
  ask(row, session, means, { question: select, yes: texts.t("moveNow"), run: () => means.onMove(session, select.value || null) });
  select.focus();
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 */
function askFormat(row, session, means) {
  const { texts } = means;
  const options = Object.entries({ markdown: "formatMarkdown", html: "formatHtml", json: "formatJson" }).map(([value, key]) => h("option", { value }, texts.t(key)));
  const select = h("select", { "aria-label": texts.t("exportChat") }, ...options);
  ask(row, session, means, { question: select, yes: texts.t("export"), run: () => means.onExport(session, /** @type {Format} */ (select.value)) });
  select.focus();
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 * @param {{forGood: boolean}} how
 */
function askDelete(row, session, means, how) {
  const { texts } = means;
  const question = h("p", {}, texts.t(how.forGood ? "eraseAsk" : "deleteAsk", { name: session.name }));
  ask(row, session, means, { question, yes: texts.t("delete"), danger: true, run: () => means.onDelete(session, how) });
  /** @type {HTMLElement | null} */ (row.querySelector('[data-action="keep"]'))?.focus();
}

/**
 * The row as it was, the focus in it.
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 */
function refill(row, session, means) {
  fill(row, session, means);
  row.querySelector("button")?.focus();
}

/**
 * @param {HTMLLIElement} row
 * @param {Session} session
 * @param {RowMeans} means
 * @param {{question: HTMLElement, yes: string, danger?: boolean, run: () => void}} what
 */
function ask(row, session, means, { question, yes, danger, run }) {
  const keep = () => refill(row, session, means);
  const form = h(
    "form",
    { class: "ask" },
    question,
    h("button", { type: "submit", class: danger && "danger", "data-action": danger ? "confirm-delete" : "confirm" }, yes),
    h("button", { type: "button", class: "quiet", "data-action": "keep", onclick: keep }, means.texts.t("keep")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // it ends the question, not the drawer
    event.stopPropagation();
    keep();
  });
  row.replaceChildren(form);
}
