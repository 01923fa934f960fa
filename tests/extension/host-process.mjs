/** A real host in a data home of its own, over pipes, with the extension's own end of the wire. It ends with this process. */

import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { HostPort } from "../../extension/lib/host-port.js";

/** @import { HostPortOptions } from "../../extension/lib/host-port.js" */
/** @import { PortLike } from "../../extension/lib/types.js" */

const ORIGIN = "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/";
const SCRIPTS = process.platform === "win32" ? [".venv", "Scripts", "sidekeep.exe"] : [".venv", "bin", "sidekeep"];
const PROGRAM = path.join(fileURLToPath(new URL("../..", import.meta.url)), ...SCRIPTS);
const LENGTH_BYTES = 4;

/** Read the length of a frame as this machine writes it. */
const readLength = os.endianness() === "LE" ? Buffer.prototype.readUInt32LE : Buffer.prototype.readUInt32BE;
const writeLength = os.endianness() === "LE" ? Buffer.prototype.writeUInt32LE : Buffer.prototype.writeUInt32BE;

/** @type {import("node:child_process").ChildProcess[]} */
const children = [];
/** @type {string[]} */
const homes = [];
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true });
});

/** A data home that ends with this process. */
export function makeHome() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "sidekeep-area-"));
  homes.push(home);
  return home;
}

/**
 * The extension's connection to a new host, by default with an empty store.
 * @param {Partial<HostPortOptions> & {home?: string}} [options]
 */
export function startHost({ home = makeHome(), ...options } = {}) {
  const clock = { now: Date.now, setTimeout, clearTimeout: /** @type {(timer: any) => void} */ (clearTimeout) };
  return new HostPort({
    clock,
    hello: async () => ({ client: "tests", version: "0" }),
    connect: () => {
      const child = spawn(PROGRAM, [ORIGIN], { env: { ...process.env, SIDEKEEP_HOME: home }, stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      return { port: portOf(child), lastError: () => "Native host has exited.", kill: () => child.kill("SIGKILL") };
    },
    ...options,
  });
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {PortLike}
 */
function portOf(child) {
  /** @type {((message: any) => void)[]} */
  const listeners = [];
  child.stdout?.on("data", splitter((message) => listeners.forEach((listener) => listener(message))));
  child.stdin?.on("error", () => {}); // the host's end closes the port; `exit` tells
  return {
    postMessage: (message) => void child.stdin?.write(frame(message)),
    disconnect: () => void child.stdin?.end(),
    onMessage: { addListener: (listener) => void listeners.push(listener) },
    onDisconnect: { addListener: (listener) => void child.once("exit", listener) },
  };
}

/** @param {object} message */
function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(LENGTH_BYTES);
  writeLength.call(head, body.length);
  return Buffer.concat([head, body]);
}

/**
 * @param {(message: any) => void} receive
 * @returns {(chunk: Buffer) => void}
 */
function splitter(receive) {
  /** @type {Buffer[]} */
  let chunks = [];
  let size = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (size < LENGTH_BYTES) return;
      if (chunks[0] && chunks[0].length < LENGTH_BYTES) chunks = [Buffer.concat(chunks)];
      const length = readLength.call(/** @type {Buffer} */ (chunks[0])) + LENGTH_BYTES;
      if (size < length) return;
      const all = chunks.length === 1 ? /** @type {Buffer} */ (chunks[0]) : Buffer.concat(chunks);
      chunks = [all.subarray(length)];
      size -= length;
      receive(JSON.parse(all.toString("utf8", LENGTH_BYTES, length)));
    }
  };
}
