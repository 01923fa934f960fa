/** A browser profile and its service workers, one after the other, on a real host: each can be ended after any of its steps. */

import { after } from "node:test";
import { AreaChoice } from "../../extension/lib/area-choice.js";
import { FallbackArea } from "../../extension/lib/fallback-area.js";
import { FakeBrowserArea } from "./browser-area.mjs";
import { FakePort } from "./fakes.mjs";
import { makeHome, startHost } from "./host-process.mjs";

/** @import { HostPort } from "../../extension/lib/host-port.js" */
/** @import { BrowserArea, HostStatus } from "../../extension/lib/types.js" */

/** @type {Worker[]} */
const started = [];
after(() => {
  for (const worker of started) worker.end(); // a host would keep a failed test's process
});
const NEVER = new Promise(() => {});

export class Profile {
  browser;
  home;
  /** Whether the browser finds a host. */
  hasHost = true;
  /** What it says where it does not. */
  said = "Specified native messaging host not found.";
  #uuid = crypto.randomUUID();

  /**
   * @param {Record<string, any>} kept what lies in the browser's storage
   * @param {string} [home]
   */
  constructor(kept = {}, home = makeHome()) {
    this.browser = new FakeBrowserArea({ sidekeepProfile: this.#uuid, draft: "half a ques", ...kept });
    this.home = home;
  }

  /** @param {number} [lastStep] the worker ends when that step has had its effect, and does not learn of it */
  start(lastStep) {
    return new Worker(this, this.#uuid, lastStep);
  }

  /** What is left of the area in the browser. */
  get leftInBrowser() {
    const { sidekeepProfile: _uuid, draft: _draft, sidekeepAdopted: _hint, ...rest } = this.browser.items;
    return rest;
  }
}

export class Worker {
  /** @type {string[]} */
  steps = [];
  /** @type {HostStatus[]} */
  statuses = [];
  /** @type {any[]} */
  events = [];
  wantsValues = true;
  /** Called before each step. @type {(step: string, at: number) => void} */
  onStep = () => {};
  #dead = false;
  #die = () => {};
  /** @type {() => boolean} */
  #killHost = () => false;
  /** @type {Promise<void>} */
  died = new Promise((resolve) => (this.#die = resolve));

  /**
   * @param {Profile} profile
   * @param {string} uuid
   * @param {number} [lastStep]
   */
  constructor(profile, uuid, lastStep) {
    this.lastStep = lastStep;
    started.push(this);
    const port = startHost({
      home: profile.home,
      hello: async () => ({ client: "tests", version: "0", profile: uuid }),
      onStatus: () => this.#dead || this.choice.hostChanged(),
      onNotification: (method, params) => this.#dead || this.choice.notified(method, params),
    });
    const { connect } = port.options;
    port.options.connect = () => {
      const made = profile.hasHost ? connect() : missing(profile.said);
      this.#killHost = "kill" in made ? /** @type {() => boolean} */ (made.kill) : () => false;
      return made;
    };
    this.port = port;
    const area = this.#area(profile.browser);
    const announce = (/** @type {string} */ method, /** @type {any} */ params) => void this.events.push([method, params.changes]);
    const wantsValues = () => this.wantsValues;
    this.choice = new AreaChoice({
      host: this.#host(port),
      fallback: new FallbackArea({ area: () => area, announce, wantsValues }),
      profile: { get: async (key) => (await area.get(key))[key], set: async (key, value) => area.set({ [key]: value }) },
      onStatus: (status) => void this.statuses.push(status),
      onNotification: announce,
      wantsValues,
      passing: false,
    });
  }

  /** Look for the host and settle; also ends when the worker does. */
  run() {
    return Promise.race([this.choice.retry(), this.died]);
  }

  /** @param {string} method @param {object} [params] */
  ask(method, params = {}) {
    return this.choice.request(method, params);
  }

  /** @returns {number} how many hosts were killed, as by SIGKILL */
  killHost() {
    return Number(this.#killHost());
  }

  end() {
    this.#dead = true;
    this.port.close();
    this.#die();
  }

  /** @param {HostPort} port @returns {any} */
  #host(port) {
    return {
      get status() {
        return port.status;
      },
      get open() {
        return port.open;
      },
      get busy() {
        return port.busy;
      },
      ready: () => port.ready(),
      retry: () => port.retry(),
      close: () => port.close(),
      request: (/** @type {any[]} */ ...args) => this.#step(String(args[0]), () => port.request(...(/** @type {[string]} */ (args)))),
    };
  }

  /** @param {BrowserArea} area @returns {BrowserArea} */
  #area(area) {
    return {
      get: (keys) => this.#step("browser get", () => area.get(keys)),
      getKeys: () => this.#step("browser getKeys", () => area.getKeys?.() ?? Promise.resolve([])),
      set: (items) => this.#step("browser set", () => area.set(items)),
      remove: (keys) => this.#step("browser remove", () => area.remove(keys)),
      getBytesInUse: (keys) => area.getBytesInUse(keys),
      onChanged: area.onChanged,
    };
  }

  /**
   * @template Result
   * @param {string} name
   * @param {() => Promise<Result>} run
   * @returns {Promise<Result>}
   */
  async #step(name, run) {
    const at = this.steps.push(name) - 1;
    this.onStep(name, at);
    if (this.#dead) return /** @type {Promise<any>} */ (NEVER);
    const result = await run();
    if (at === this.lastStep) this.end();
    return this.#dead ? /** @type {Promise<any>} */ (NEVER) : result;
  }
}

/** A port as the browser gives it where no host can be started. @param {string} said */
function missing(said) {
  const port = new FakePort();
  setImmediate(() => port.drop());
  return { port, lastError: () => said };
}
