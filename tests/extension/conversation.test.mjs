import assert from "node:assert/strict";
import test from "node:test";
import { readAttachment } from "../../extension/lib/attachment-header.js";
import { countCodePoints, dropCodePoints } from "../../extension/lib/code-points.js";
import { GrowingText } from "../../extension/lib/growing-text.js";
import { Conversation } from "../../extension/panel/conversation.js";

const PAGE = "[Page context attached by sidekeep]\nURL: https://a.example/x\nTitle: A page: the title\nMode: readable\n---\n\nTitle: not this\n😀 text";

/** @param {string} id @param {string} role @param {string} content @param {object} [more] */
const message = (id, role, content, more = {}) => ({ id, role, content, createdAt: 0, ...more });
/** @param {string} id */
const attachment = (id) => message(id, "user", PAGE, { attachId: `at-${id}` });

/** @param {ReturnType<typeof message>[]} messages */
function loaded(messages, turns = /** @type {any[]} */ ([]), session = "s") {
  const conversation = new Conversation();
  conversation.load(messages, session, turns);
  return conversation;
}

test("code points are counted as Python counts them", () => {
  for (const text of ["", "abc", "a😀b", "😀😀", "\ud83d", "x\udc00\ud83d", "👩‍👩‍👧"]) {
    assert.equal(countCodePoints(text), [...text].length, JSON.stringify(text));
    for (let count = 0; count <= [...text].length; count += 1) {
      assert.equal(dropCodePoints(text, count), [...text].slice(count).join(""), `${JSON.stringify(text)} less ${count}`);
    }
  }
});

test("pieces in any order of repetition give the text once", () => {
  const text = "a😀bc日本😀d";
  const points = [...text];
  for (let size = 1; size <= points.length; size += 1) {
    const growing = new GrowingText();
    for (let offset = 0; offset < points.length; offset += size) {
      for (const again of [Math.max(0, offset - 2), offset, 0]) assert.ok(growing.add(again, points.slice(again, offset + size).join("")));
    }
    assert.equal(growing.text, text);
    assert.equal(growing.length, points.length);
  }
});

test("a piece after a gap is not taken", () => {
  const growing = new GrowingText();
  growing.add(0, "ab");
  assert.equal(growing.add(3, "d"), false);
  assert.equal(growing.text, "ab");
});

test("an attachment's header is read, its body is not taken for one", () => {
  assert.deepEqual(readAttachment(PAGE), { url: "https://a.example/x", title: "A page: the title", chars: [..."Title: not this\n😀 text"].length });
  assert.deepEqual(readAttachment([{ type: "text", text: PAGE.replace("sidekeep", "browsa") }])?.title, "A page: the title");
  assert.equal(readAttachment("Title: x\n---\n"), null);
  assert.equal(readAttachment("[Page context attached by sidekeep]\nURL: x"), null);
});

test("a further header line does not rename an attachment", () => {
  const renamed = PAGE.replace("Mode:", "URL: https://bank.example/\nTitle: Your bank\nMode:");
  assert.deepEqual(readAttachment(renamed), readAttachment(PAGE));
});

test("attachments wait until a question follows them", () => {
  const conversation = loaded([attachment("1"), message("q", "user", "?"), message("a", "assistant", "!"), attachment("2"), attachment("3")]);
  assert.deepEqual(conversation.waiting.map(({ id }) => id), ["at-2", "at-3"]);
  assert.deepEqual(conversation.shown.map(({ id }) => id), ["at-1", "q", "a"]);
  conversation.started({ turn: "t", user: message("q2", "user", "??") });
  assert.deepEqual(conversation.waiting, []);
  assert.deepEqual(conversation.shown.map(({ id }) => id), ["at-1", "q", "a", "at-2", "at-3", "q2"]);
});

test("an attachment stored during an answer goes with the next question", () => {
  const conversation = loaded([message("q", "user", "?")]);
  conversation.attached({ attachId: "x", title: "T", chars: 3 }, { url: "https://a.example/" });
  conversation.attached({ attachId: "x", title: "T", chars: 3 }, { url: "https://a.example/" });
  assert.equal(conversation.waiting.length, 1);
  conversation.detached("x");
  assert.equal(conversation.waiting.length, 0);
});

test("an attachment's text is not kept in the panel", () => {
  assert.ok(!JSON.stringify(loaded([attachment("1")]).items).includes("not this"));
});

test("an answer grows, ends, and stands as it was stored", () => {
  const conversation = loaded([]);
  conversation.started({ turn: "t", user: message("q", "user", "?") });
  assert.equal(conversation.grew("reasoning", { turn: "t", offset: 0, text: "hm" }), "show");
  assert.equal(conversation.grew("text", { turn: "t", offset: 0, text: "Yes" }), "show");
  assert.equal(conversation.grew("text", { turn: "t", offset: 2, text: "s, it is" }), "show");
  assert.deepEqual([conversation.live?.text.text, conversation.live?.reasoning.text], ["Yes, it is", "hm"]);
  assert.equal(conversation.done({ turn: "t", message: message("a", "assistant", "Yes, it is.") }), "show");
  assert.equal(conversation.live, null);
  assert.deepEqual(conversation.shown.map(({ id }) => id), ["q", "a"]);
});

test("a panel that opens late goes on from what turn.peek tells, whatever pieces it hears twice", () => {
  const conversation = loaded([message("q", "user", "?")], [{ turn: "t", session: "s", text: "😀 half", reasoning: "", startedAt: 0 }]);
  assert.equal(conversation.grew("text", { turn: "t", offset: 2, text: "half" }), "show");
  assert.equal(conversation.grew("text", { turn: "t", offset: 4, text: "lf done" }), "show");
  assert.equal(conversation.live?.text.text, "😀 half done");
});

test("a missing piece asks for everything to be read again", () => {
  const conversation = loaded([], [{ turn: "t", session: "s", text: "ab", reasoning: "", startedAt: 0 }]);
  assert.equal(conversation.grew("text", { turn: "t", offset: 5, text: "f" }), "resync");
});

test("a turn of another chat is not shown, and its end has the conversation read again", () => {
  const conversation = loaded([], [{ turn: "t", session: "other", text: "secret", reasoning: "", startedAt: 0 }]);
  assert.equal(conversation.live, null);
  assert.equal(conversation.grew("text", { turn: "t", offset: 0, text: "x" }), "ignore");
  assert.equal(conversation.done({ turn: "t", message: message("a", "assistant", "x") }), "resync");
  assert.equal(conversation.shown.length, 0);
});

test("an end that is told twice changes nothing", () => {
  const conversation = loaded([]);
  conversation.started({ turn: "t", user: message("q", "user", "?") });
  const end = { turn: "t", message: message("a", "assistant", "x") };
  conversation.done(end);
  assert.equal(conversation.done(end), "ignore");
  assert.equal(conversation.shown.length, 2);
});

test("a failed turn keeps the question, and what had come of the answer", () => {
  const conversation = loaded([]);
  conversation.started({ turn: "t", user: message("q", "user", "?") });
  conversation.grew("text", { turn: "t", offset: 0, text: "Be" });
  assert.equal(conversation.failed({ turn: "t", message: message("a", "assistant", "Be", { interrupted: true }) }), "show");
  assert.deepEqual(conversation.shown.map(({ id }) => id), ["q", "a"]);
  assert.equal(conversation.live, null);
});

test("what a question takes the place of is gone with what followed it", () => {
  const conversation = loaded([message("q", "user", "?"), message("a", "assistant", "!"), message("q2", "user", "??")]);
  conversation.truncated("a");
  assert.deepEqual(conversation.items.map(({ id }) => id), ["q"]);
  conversation.truncated("gone already");
  assert.deepEqual(conversation.items.map(({ id }) => id), ["q"]);
});
