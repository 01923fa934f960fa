/** The page: the notes and the last answer, both as Sidekeep's store has them. */

import { clock, connectWorker, runtime } from "./lib/chrome.js";
import { HostClient } from "./lib/host-client.js";
import { pageStorage } from "./lib/page-storage.js";

const client = new HostClient({ connect: connectWorker, clock });
const { local, onChanged } = pageStorage(client, { runtime: runtime() });
const state = element("state");
const list = element("notes");
const answer = element("answer");

client.on("host.state", ({ state: now, message }) => {
  state.textContent = `${now} ${message}`;
  if (now === "ready") void showAll();
});
client.on("turn.started", () => (answer.textContent = ""));
client.on("turn.delta", ({ text }) => answer.append(text));
client.on("turn.failed", ({ error }) => (answer.textContent = error.message));
onChanged.addListener(showNotes); // by this page, another one, the worker, another browser on the same store

element("retry").addEventListener("click", () => void client.request("host.retry"));
onSubmit("keep", async (text) => {
  const { notes } = await local.get({ notes: [] });
  await local.set({ notes: [...notes, text] });
});
onSubmit("ask", async (question) => {
  const { notes } = await local.get({ notes: [] });
  await client.request("turn.send", { text: `${notes.join("\n")}\n\n${question}` });
});
client.start();

async function showAll() {
  await showNotes();
  const { messages } = await client.request("history.get");
  const last = messages.findLast(({ role }) => role === "assistant");
  answer.textContent = typeof last?.content === "string" ? last.content : "";
}

async function showNotes() {
  const { notes } = await local.get({ notes: [] });
  list.replaceChildren(...notes.map((/** @type {string} */ note) => Object.assign(document.createElement("li"), { textContent: note })));
}

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {string} id of a form
 * @param {(text: string) => Promise<void>} send what fails is shown where the state is
 */
function onSubmit(id, send) {
  element(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const text = String(new FormData(form).get("text"));
    await send(text).then(() => form.reset(), (error) => (state.textContent = error.message));
  });
}
