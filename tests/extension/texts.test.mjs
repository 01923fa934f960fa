import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import { say } from "../../extension/lib/error-text.js";
import { crashed, diagnoseDisconnect, HostError, outdated } from "../../extension/lib/host-errors.js";
import { LANGUAGES, pickLanguage, Texts } from "../../extension/lib/i18n.js";
import { problemOfRefusal } from "../../extension/lib/page-reader.js";

const ROOT = new URL("../../extension/", import.meta.url);
const CATALOGUE = JSON.parse(await readFile(new URL("_locales/en/messages.json", ROOT), "utf8"));
const TEXTS = new Texts("en", CATALOGUE);

/** The extension's own sources, third-party ones left out. @returns {Promise<Map<string, string>>} */
async function sources() {
  const files = await readdir(ROOT, { recursive: true });
  const own = files.map(String).filter((name) => /\.(js|html|json)$/.test(name) && !/^(vendor|_locales)/.test(name));
  return new Map(await Promise.all(own.map(async (name) => /** @type {[string, string]} */ ([name, await readFile(new URL(name, ROOT), "utf8")]))));
}

/** Keys as a source names them: whole, or the beginning of a made-up one with `*` for the rest. @param {string} text */
function keysIn(text) {
  const calls = [...text.matchAll(/\b(?:t|plural|getMessage)\(\s*(["'`])(.*?)\1/g)].map((match) => match[2]);
  const marked = [...text.matchAll(/data-i18n="(\w+)"/g)].map((match) => match[1]);
  const attributes = [...text.matchAll(/data-i18n-attributes="([^"]+)"/g)].flatMap((match) => (match[1] ?? "").split(",").map((pair) => pair.split(":")[1]?.trim()));
  const manifest = [...text.matchAll(/__MSG_(\w+)__/g)].map((match) => match[1]);
  return [...calls, ...marked, ...attributes, ...manifest].filter((key) => key !== undefined).map((key) => key.replace(/\$\{.*?\}/g, "*"));
}

/** @param {string} key @param {string} pattern */
function fits(key, pattern) {
  const plain = key.replace(/_(zero|one|two|few|many|other)$/, "");
  return [key, plain].some((name) => new RegExp(`^${pattern.replace("*", ".+")}$`).test(name));
}

test("every text that the pages ask for is there", async () => {
  for (const [file, text] of await sources()) {
    for (const pattern of keysIn(text)) {
      assert.ok(Object.keys(CATALOGUE).some((key) => fits(key, pattern)), `${file} asks for ${pattern}`);
    }
  }
});

test("every text is asked for by some page", async () => {
  const all = [...(await sources()).values()];
  // A key may also stand in a table, to be asked for by way of a variable.
  const tabled = all.flatMap((text) => [...text.matchAll(/"(\w+)"/g)].map((match) => match[1] ?? ""));
  const patterns = [...all.flatMap(keysIn), ...tabled];
  const dynamic = ["page_*", "host_*", "error_*", "turn_*", "provider_*", "providerHint_*", "state_*", "*Hint"];
  const unused = Object.keys(CATALOGUE).filter((key) => ![...patterns, ...dynamic].some((pattern) => fits(key, pattern)));
  assert.deepEqual(unused, []);
});

const CATALOGUES = new Map(
  await Promise.all(
    LANGUAGES.map(async (name) => /** @type {[string, Record<string, {message: string}>]} */ ([name, JSON.parse(await readFile(new URL(`_locales/${name}/messages.json`, ROOT), "utf8"))])),
  ),
);
/** A key without the form of its plural. @param {string} key */
const stem = (key) => (PLURALS.has(key.replace(/_[a-z]+$/, "")) ? key.replace(/_[a-z]+$/, "") : key);
const PLURALS = new Set(Object.keys(CATALOGUE).filter((key) => key.endsWith("_other") && key.replace(/_other$/, "_one") in CATALOGUE).map((key) => key.replace(/_other$/, "")));
/** Names, which are the same everywhere, and words that happen to be. */
const SAME = /^(appName|providerAndModel|statusReady|provider_.*|chats|dataChats|tokens_.*|panelTitle)$/;

for (const [language, catalogue] of CATALOGUES) {
  test(`${language} has every text, with all forms of its plurals and no other`, () => {
    const forms = new Intl.PluralRules(language.replace("_", "-")).resolvedOptions().pluralCategories;
    const keys = new Set(Object.keys(CATALOGUE).map(stem));
    const expected = [...keys].flatMap((key) => (PLURALS.has(key) ? forms.map((form) => `${key}_${form}`) : [key]));
    assert.deepEqual(Object.keys(catalogue).sort(), expected.sort());
  });

  test(`${language} puts the same values into its texts`, () => {
    const values = (/** @type {string} */ message) => [...message.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    for (const [key, { message }] of Object.entries(catalogue)) {
      const english = CATALOGUE[key] ?? CATALOGUE[`${stem(key)}_other`];
      assert.deepEqual(values(message), values(english.message), key);
    }
  });

  if (language !== "en") {
    test(`${language} has no text that was left in English`, () => {
      const left = Object.entries(catalogue).filter(([key, { message }]) => !SAME.test(key) && /[a-z]{3}/i.test(message) && message === CATALOGUE[key]?.message);
      assert.deepEqual(left.map(([key]) => key), []);
    });
  }
}

test("no page shows a text that is written into its source", async () => {
  const written = [];
  for (const [file, text] of await sources()) {
    const shown = file.endsWith(".html") ? textsOfPage(text) : file.endsWith(".js") && !file.startsWith("content/") ? textsOfScript(text) : [];
    written.push(...shown.map((found) => `${file}: ${found}`));
  }
  assert.deepEqual(written, []);
});

/** Words between tags, and attributes that are read out or shown. @param {string} html */
function textsOfPage(html) {
  const between = [...html.matchAll(/<(\w+)([^>]*)>\s*([^<>]*\p{L}[^<>]*)</gu)].filter(([, tag, attributes]) => tag !== "title" && !attributes?.includes("data-i18n=")).map((match) => match[3] ?? "");
  const attributes = [...html.matchAll(/\s(?:title|alt|placeholder|aria-label)="([^"]*\p{L}[^"]*)"/gu)].map((match) => match[1] ?? "");
  return [...between, ...attributes].filter(isNoAddress);
}

/** @param {string} text */
const isNoAddress = (text) => !/^https?:/.test(text);

/** What is handed to an element as its text or its label. @param {string} script */
function textsOfScript(script) {
  const code = script.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const children = [...code.matchAll(/\bh\("\w+",\s*\{[^{}]*\},\s*"([^"]*\p{L}[^"]*)"/gu)];
  const labels = [...code.matchAll(/(?:"aria-label"|\btitle|\bplaceholder|\balt|textContent|innerText)\s*[:=]\s*"([^"]*\p{L}[^"]*)"/gu)];
  const sentences = [...code.matchAll(/(?:show|pass|stand|#say)\((?:\{\s*text:\s*)?"([^"]*\p{L}[^"]*)"/gu)];
  return [...children, ...labels, ...sentences].map((match) => match[1] ?? "").filter(isNoAddress);
}

test("a plural takes the language's own form, and numbers its own grouping", () => {
  assert.equal(TEXTS.plural("messages", 1), "1 message");
  assert.equal(TEXTS.plural("chars", 5_200_000), "5,200,000 characters");
  const russian = new Texts("ru", { n_one: { message: "{count} чат" }, n_few: { message: "{count} чата" }, n_many: { message: "{count} чатов" }, n_other: { message: "{count} чата" } });
  assert.deepEqual([1, 3, 5].map((count) => russian.plural("n", count)), ["1 чат", "3 чата", "5 чатов"]);
});

test("a size has the unit that suits it, and a byte its plural", () => {
  assert.deepEqual([0, 1, 999, 1000, 999_940, 999_960, 12_345_678].map((bytes) => TEXTS.bytes(bytes)), ["0 bytes", "1 byte", "999 bytes", "1 kB", "999.9 kB", "1 MB", "12.3 MB"]);
});

test("of today the time is enough", () => {
  const noon = new Date(2026, 10, 5, 12).getTime();
  assert.deepEqual([noon - 3_600_000, noon - 86_400_000].map((at) => TEXTS.shortDate(at, noon).replace(/\s/g, " ")), ["11:00 AM", "Nov 4, 2026"]);
});

test("a value that looks like a placeholder is not replaced again", () => {
  assert.equal(TEXTS.t("attached", { title: "{title} {x}" }), "Attached “{title} {x}”");
});

test("a language is chosen by tag, by its base, else English", () => {
  assert.equal(pickLanguage(["en-GB"]), "en");
  assert.equal(pickLanguage(["tlh", "es-MX"]), "es");
  assert.equal(pickLanguage(["zh-CN"]), "zh_CN");
  assert.equal(pickLanguage(["tlh"]), "en");
});

test("every way in which the host can be missing has its text, its title and a command", () => {
  const all = [
    diagnoseDisconnect("Specified native messaging host not found."),
    diagnoseDisconnect("Access to the specified native messaging host is forbidden."),
    diagnoseDisconnect("Native host has exited."),
    diagnoseDisconnect("Error when communicating with the native messaging host."),
    crashed("silent"),
    crashed("refused"),
    outdated("host"),
    outdated("extension"),
  ];
  for (const { reason, state, command } of all) {
    assert.ok(TEXTS.has(`host_${reason}`), reason);
    assert.ok(TEXTS.has(`state_${state.replace("-", "_")}`), state);
    assert.match(command, /^python3 build\.py \w+$/);
  }
});

test("every page that cannot be read has its text", () => {
  for (const problem of ["no_tab", "browser_page", "store", "view_source", "file", "pdf_file", "pdf_too_large", "pdf_unreachable", "pdf_selection", "not_text", "empty", "no_access", problemOfRefusal("?", "")]) {
    assert.match(TEXTS.t(`page_${problem}`), /^[A-Z].+\.$/);
  }
});

test("an error of the host is said in its own words, one of ours in the person's language", () => {
  assert.deepEqual(say(new HostError("not_found", "No such chat."), TEXTS), { text: "No such chat." });
  assert.match(say(new HostError("timeout", "ping was not answered within 30 s"), TEXTS).text, /^The Sidekeep host did not answer in time/);
  assert.match(say(new HostError("host_missing", "x", { data: { reason: "missing", command: "c" } }), TEXTS).text, /not installed/);
});

test("what the model's server said is quoted once, and settings are offered where they can help", () => {
  const failed = (/** @type {object} */ data, message = "It refused.") => say(new HostError("provider_failed", message, { data: { ...data } }), TEXTS);
  assert.deepEqual(failed({ verdict: "auth", status: 401, provider_message: "bad key" }), { text: "It refused. The server said: bad key", step: "settings" });
  assert.deepEqual(failed({ verdict: "other", status: 500, provider_message: "refused" }, "It refused."), { text: "It refused.", step: undefined });
  assert.equal(failed({ verdict: "other", status: 404 }).step, "settings");
});
