/**
 * The worker's one connection to the native host: opened when first needed, requests answered by id, parts joined, and opened again
 * with back-off when it breaks. Knows no `chrome`: `connect` is handed in.
 */

import { Backoff } from "./backoff.js";
import { crashed, diagnoseDisconnect, diagnoseHello, HostError, outdated } from "./host-errors.js";
import { PART_CHARS, PartAssembler, PartRefused, replyIdIn, split } from "./parts.js";
import { Pending } from "./pending.js";

/** @import { LifeHelloResult } from "./protocol.js" */
/** @import { Clock, Envelope, HostStatus, Part, PortLike, RequestOptions } from "./types.js" */
/** @import { Diagnosis } from "./host-errors.js" */

export const PROTOCOL = 1;
export const HELLO_TIMEOUT_MS = 10_000;
/** Hosts that live shorter than this after their hello, one after the other, have crashed, and the back-off goes on growing. */
export const STABLE_MS = 5_000;
/** A character of a value takes six bytes at most. What is sure to fit goes whole: as parts it would be written and read as JSON twice. */
const SURE_CHARS = 10_000_000;

/**
 * @typedef {object} HostPortOptions
 * @property {() => {port: PortLike, lastError: () => string}} connect opens a native port
 * @property {() => Promise<object>} hello the parameters of hello
 * @property {(status: HostStatus) => void} [onStatus]
 * @property {(method: string, params: any) => void} [onNotification]
 * @property {() => boolean} [wanted] whether somebody waits for the host; without, a broken port is not opened again
 * @property {Clock} clock
 * @property {Backoff} [backoff]
 * @property {number} [partChars]
 */

export class HostPort {
  /** @type {PortLike | null} */
  #port = null;
  /** @type {Promise<void> | null} settles when hello was answered, or the port failed before */
  #opening = null;
  #parts = new PartAssembler();
  #pending;
  #streams = 0;
  /** @type {unknown} */
  #retryTimer = null;
  /** @type {Diagnosis | null} the last failure, while it stands */
  #trouble = null;
  /** @type {HostStatus} */
  status = { state: "starting", reason: "", message: "" };
  #greetedAt = 0;
  #shortLives = 0;

  /** @param {HostPortOptions} options */
  constructor(options) {
    this.options = options;
    this.backoff = options.backoff ?? new Backoff();
    this.#pending = new Pending(options.clock);
  }

  /** Whether a native port is open, hello answered or not. */
  get open() {
    return this.#port !== null;
  }

  /** Whether a reply is still awaited. */
  get busy() {
    return this.#pending.size > 0;
  }

  /**
   * Ask the host. Opens the port if there is none.
   * @param {string} method
   * @param {object} [params]
   * @param {RequestOptions} [options]
   * @returns {Promise<any>} the result
   * @throws {HostError} the host's error, or host_* when there is no host, timeout, cancelled
   */
  async request(method, params = {}, options = {}) {
    await this.#ready();
    return this.#ask(method, params, options);
  }

  /**
   * Open the port if there is none.
   * @returns {Promise<LifeHelloResult>} what the host said of itself
   * @throws {HostError}
   */
  async ready() {
    await this.#ready();
    const { hello } = this.status;
    if (!hello) throw new HostError("host_gone", "the host ended right after it had answered");
    return hello;
  }

  /** Try again now, whatever was wrong: a person says that it is mended, or a panel has just been opened. */
  async retry() {
    if (this.#opening === null) {
      this.#trouble = null;
      this.#stopWaiting();
    }
    await this.#ready().catch(() => {});
  }

  /** Close the port. The host saves and ends; the next request opens a new one. */
  close() {
    this.#stopWaiting();
    const port = this.#port;
    this.#port = null;
    this.#opening = null;
    port?.disconnect();
    this.#pending.failAll(new HostError("host_gone", "the connection to the host was closed"));
  }

  #ready() {
    if (this.#trouble && !this.#trouble.retry) return Promise.reject(errorOf(this.#trouble));
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  async #connect() {
    this.#stopWaiting();
    this.#setStatus({ state: "starting", reason: "", message: "" });
    const { params, port, lastError } = await this.#open();
    this.#port = port;
    this.#parts = new PartAssembler();
    port.onMessage.addListener((message) => port === this.#port && this.#receive(message));
    port.onDisconnect.addListener(() => this.#dropped(port, lastError()));
    try {
      const hello = await this.#ask("hello", { ...params, protocol: PROTOCOL }, { timeoutMs: HELLO_TIMEOUT_MS });
      if (hello?.server !== "sidekeep" || hello.protocol !== PROTOCOL) throw new HostError("protocol_mismatch", "", { data: { update: "host" } });
      this.#greeted(hello);
    } catch (error) {
      if (port === this.#port) this.#fail(diagnoseHello(/** @type {HostError} */ (error)));
      throw errorOf(this.#trouble ?? outdated("host"));
    }
  }

  /** What fails here (the browser's own storage, a port that it refuses) may work the next time: nothing of it is kept. */
  async #open() {
    try {
      const params = await this.options.hello();
      return { params, ...this.options.connect() };
    } catch (error) {
      this.#fail(crashed("exited", String(error)));
      throw errorOf(this.#trouble ?? outdated("host"));
    }
  }

  /** @param {LifeHelloResult} hello */
  #greeted(hello) {
    this.#greetedAt = this.options.clock.now();
    this.#trouble = null;
    this.#setStatus({ state: "ready", reason: "", message: "", hello });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {RequestOptions} options
   */
  #ask(method, params, options) {
    const { id, promise } = this.#pending.add(method, options, () => this.#notify("$/cancelRequest", { id }));
    try {
      this.#post({ jsonrpc: "2.0", id, method, params });
    } catch (error) {
      this.#pending.fail(id, new HostError("host_gone", String(error)));
    }
    return promise;
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  #notify(method, params) {
    try {
      this.#post({ jsonrpc: "2.0", method, params });
    } catch {
      // The port is gone, and with it what was to be cancelled.
    }
  }

  /** @param {object} message */
  #post(message) {
    if (!this.#port) throw new Error("the port is closed");
    const { partChars } = this.options;
    if (charsOf(message) <= (partChars ?? SURE_CHARS)) {
      this.#port.postMessage(message);
      return;
    }
    this.#streams += 1;
    const parts = split(JSON.stringify(message), { stream: `e${this.#streams}`, partChars: partChars ?? PART_CHARS });
    for (const part of parts) this.#port.postMessage(part);
  }

  /** @param {Envelope} message */
  #receive(message) {
    if (message.part) {
      const whole = this.#joined(message.part);
      if (whole === null) return;
      message = whole;
    }
    if (message.method) this.options.onNotification?.(message.method, message.params ?? {});
    else if (typeof message.id === "number") this.#pending.settle(message.id, message);
    else if (message.error) console.warn(`The host refused a message: ${message.error.message}`);
  }

  /**
   * @param {Part} part
   * @returns {Envelope | null}
   */
  #joined(part) {
    try {
      const text = this.#parts.feed(part);
      return text === null ? null : JSON.parse(text);
    } catch (error) {
      const refused = error instanceof PartRefused ? error : new PartRefused(String(error), part.stream, "");
      this.#notify("$/cancelStream", { stream: refused.stream });
      const id = replyIdIn(refused.head);
      if (id !== null) this.#pending.fail(id, new HostError("bad_reply", refused.message));
      return null;
    }
  }

  /**
   * @param {PortLike} port
   * @param {string} said
   */
  #dropped(port, said) {
    if (port !== this.#port) return;
    if (this.status.state !== "ready") return this.#fail(diagnoseDisconnect(said));
    const livedLong = this.options.clock.now() - this.#greetedAt >= STABLE_MS;
    this.#shortLives = livedLong ? 0 : this.#shortLives + 1;
    if (livedLong) this.backoff.reset();
    if (this.#shortLives > 1) this.#fail(crashed("exited", said));
    else this.#lost();
  }

  /** A host that had answered was replaced or killed: a new one is tried before it is called a crash. */
  #lost() {
    this.#port = null;
    this.#opening = null;
    this.#setStatus({ state: "starting", reason: "", message: "" });
    this.#pending.failAll(new HostError("host_gone", "the host ended while it worked on this"));
    this.#retryLater();
  }

  /** @param {Diagnosis} trouble */
  #fail(trouble) {
    const port = this.#port;
    this.#port = null;
    this.#opening = null;
    this.#trouble = trouble;
    port?.disconnect();
    this.#setStatus({ state: trouble.state, reason: trouble.reason, message: trouble.message, command: trouble.command });
    this.#pending.failAll(errorOf(trouble));
    if (trouble.retry) this.#retryLater();
  }

  #retryLater() {
    if (!(this.options.wanted?.() ?? true)) return;
    this.#retryTimer = this.options.clock.setTimeout(() => void this.retry(), this.backoff.next());
  }

  #stopWaiting() {
    if (this.#retryTimer !== null) this.options.clock.clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
  }

  /** @param {HostStatus} status */
  #setStatus(status) {
    this.status = status;
    this.options.onStatus?.(status);
  }
}

/**
 * @param {Diagnosis} trouble
 * @returns {HostError}
 */
function errorOf(trouble) {
  const { state, reason, command } = trouble;
  return new HostError(trouble.kind, trouble.message || reason, { data: { state, reason, command } });
}

/** What a number, a bracket or the marks around a name or a string take at most. */
const REST_CHARS = 25;

/**
 * Roughly the characters of a JSON value: never less than the sixth part of its JSON text.
 * @param {any} value
 * @returns {number}
 */
function charsOf(value) {
  if (typeof value === "string") return value.length + REST_CHARS;
  if (typeof value !== "object" || value === null) return REST_CHARS;
  let chars = REST_CHARS;
  if (Array.isArray(value)) for (const item of value) chars += charsOf(item);
  else for (const name of Object.keys(value)) chars += name.length + charsOf(value[name]);
  return chars;
}
