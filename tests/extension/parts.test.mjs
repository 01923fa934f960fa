import assert from "node:assert/strict";
import test from "node:test";
import { PartAssembler, PartRefused, replyIdIn, split } from "../../extension/lib/parts.js";

const TEXT = JSON.stringify({ jsonrpc: "2.0", id: 7, result: "quotes \" and \\, ż, 日本, 😀😀, \ud800 alone" });

/** @param {string} text @param {number} partChars */
function parts(text, partChars, stream = "s1") {
  return [...split(text, { stream, partChars })].map(({ part }) => part);
}

/** @param {PartAssembler} assembler @param {import("../../extension/lib/types.js").Part[]} all */
function feedAll(assembler, all) {
  return all.map((part) => assembler.feed(part)).at(-1);
}

test("a message cut at any size is joined to the same text", () => {
  for (let size = 1; size <= TEXT.length + 1; size += 1) {
    assert.equal(feedAll(new PartAssembler(), parts(TEXT, size)), TEXT, `parts of ${size}`);
  }
});

test("no part splits a code point", () => {
  for (let size = 2; size <= TEXT.length; size += 1) {
    for (const { text } of parts(TEXT, size)) {
      assert.ok(!/^[\udc00-\udfff]/.test(text), `a part of ${size} begins inside a pair`);
    }
  }
});

test("only the last part is marked as the last, and seq counts from 0", () => {
  const all = parts("abcdefg", 3);
  assert.deepEqual(all.map(({ seq }) => seq), [0, 1, 2]);
  assert.deepEqual(all.map(({ last }) => last), [false, false, true]);
});

test("an empty message is one part", () => {
  assert.equal(feedAll(new PartAssembler(), parts("", 3)), "");
});

test("streams that interleave are kept apart", () => {
  const assembler = new PartAssembler();
  const a = parts("aaaaaa", 2, "a");
  const b = parts("bbbbbb", 2, "b");
  const joined = a.flatMap((part, index) => [assembler.feed(part), assembler.feed(/** @type {any} */ (b[index]))]);
  assert.deepEqual(joined, [null, null, null, null, "aaaaaa", "bbbbbb"]);
});

test("a gap is refused once, with the stream and what had come, and the rest of the stream is swallowed", () => {
  const assembler = new PartAssembler();
  const [first, , third, fourth] = parts("abcdefgh", 2);
  assembler.feed(/** @type {any} */ (first));
  assert.throws(
    () => assembler.feed(/** @type {any} */ (third)),
    (error) => error instanceof PartRefused && error.stream === "s1" && error.head === "ab",
  );
  assert.equal(assembler.feed(/** @type {any} */ (fourth)), null);
  assert.equal(feedAll(assembler, parts("again", 2)), "again", "the name can be used anew");
});

test("a part that comes twice is a gap", () => {
  const assembler = new PartAssembler();
  const [first, second] = parts("abcdef", 2);
  assembler.feed(/** @type {any} */ (first));
  assembler.feed(/** @type {any} */ (second));
  assert.throws(() => assembler.feed(/** @type {any} */ (second)), PartRefused);
});

test("the ninth stream at once is refused, the eight go on", () => {
  const assembler = new PartAssembler();
  const streams = Array.from({ length: 9 }, (_, index) => parts(`text ${index}`, 3, `s${index}`));
  for (const [first] of streams.slice(0, 8)) assembler.feed(/** @type {any} */ (first));
  assert.throws(() => assembler.feed(/** @type {any} */ (streams[8]?.[0])), PartRefused);
  for (const [index, stream] of streams.slice(0, 8).entries()) assert.equal(feedAll(assembler, stream.slice(1)), `text ${index}`);
});

test("a stream above the limit is refused and forgotten", () => {
  const assembler = new PartAssembler({ maxChars: 10 });
  assert.throws(() => feedAll(assembler, parts("x".repeat(11), 4)), PartRefused);
  assert.equal(feedAll(assembler, parts("short", 4, "s2")), "short");
});

test("a stream that was dropped can begin again", () => {
  const assembler = new PartAssembler();
  assembler.feed(/** @type {any} */ (parts("abcd", 2)[0]));
  assembler.drop("s1");
  assert.equal(feedAll(assembler, parts("efgh", 2)), "efgh");
});

for (const [name, part] of Object.entries({
  "no object": null,
  "no stream": { seq: 0, last: true, text: "" },
  "a seq that is no number": { stream: "s", seq: "0", last: true, text: "" },
  "no text": { stream: "s", seq: 0, last: true },
})) {
  test(`a malformed part is refused: ${name}`, () => {
    assert.throws(() => new PartAssembler().feed(/** @type {any} */ (part)), PartRefused);
  });
}

test("the id of a broken reply is read from its beginning, and not from its content", () => {
  assert.equal(replyIdIn('{"jsonrpc":"2.0","id":12,"result":{"id":13'), 12);
  assert.equal(replyIdIn('{"jsonrpc":"2.0","method":"turn.delta","params":{"id":13'), null);
  assert.equal(replyIdIn(""), null);
});
