// The way of an extension that keeps its chat as one array, pixels and all: parse it, age old pages, put labels in the places of
// pictures that were seen, write the request. Prints {name: [samples in ms]} as JSON. Usage: build_node.mjs RUNS FOLDER
import { readFileSync } from "node:fs";

const [runs, folder] = [Number(process.argv[2]), process.argv[3]];
const COLD_AFTER_QUESTIONS = 3;
const LONG_CHARS = 8000;
const TARGET_CHARS = 32_000 * 4;
const PAGE = "[Page context attached by ";

const textOf = (content) => (typeof content === "string" ? content : (content.find(({ type }) => type === "text")?.text ?? ""));

/** The newest attached page stays, and every one that few questions followed. */
function aged(messages) {
  let questions = 0;
  let pages = 0;
  const shown = [];
  for (const message of messages.toReversed()) {
    const text = textOf(message.content);
    const isPage = text.startsWith(PAGE);
    const isCold = isPage && pages > 0 && questions >= COLD_AFTER_QUESTIONS && text.length >= LONG_CHARS;
    shown.push(isCold ? { ...message, content: `[A page was here. Original size: ~${text.length} chars.]` } : message);
    pages += isPage;
    questions += message.role === "user";
  }
  return shown.reverse();
}

function labelled(message, number) {
  if (typeof message.content === "string" || !message.imagesSeen) return message;
  const parts = message.content.map((part) => (part.type === "image_url" ? { type: "text", text: `[image ${number}]` } : part));
  return { ...message, content: parts };
}

/** From the newest back, until the target is reached. */
function fitted(messages) {
  let chars = 0;
  const first = messages.findLastIndex(({ content }) => (chars += textOf(content).length) > TARGET_CHARS);
  return messages.slice(first + 1);
}

function request(stored) {
  const messages = fitted(aged(JSON.parse(stored)).map(labelled));
  return JSON.stringify({ model: "gpt-4o", messages: messages.map(({ role, content }) => ({ role, content })), stream: true });
}

const samples = {};
for (const [count, name] of [["300", "300"], ["2000", "2,000"]]) {
  const stored = readFileSync(`${folder}/${count}.json`, "utf8");
  samples[`${name}: one array, in Node`] = Array.from({ length: runs + 1 }, () => {
    const started = performance.now();
    request(stored);
    return performance.now() - started;
  }).slice(1);
}
process.stdout.write(JSON.stringify(samples));
