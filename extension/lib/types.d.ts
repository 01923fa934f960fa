/** What the extension's own modules say to each other. The wire's shapes are in protocol.d.ts. */

import type { LifeHelloResult, Methods, Notifications, WireError } from "./protocol.js";

/** What the panel's `data-state` shows. */
export type HostState = "starting" | "ready" | "no-host" | "outdated" | "crashed" | "not-moved";

/**
 * Where the storage area is. "host": in the store; "left": so, and some keys that the store does not have as they were stay in the browser;
 * "other": in a store that is not the one which took this profile's data over; "browser": in the browser's own storage, because there has
 * never been a host; "moving": on its way from there to the store; "away": in a store that cannot be reached.
 */
export type AreaPlace = "host" | "left" | "other" | "browser" | "moving" | "away";

export interface HostStatus {
  state: HostState;
  /** Why, as the end of a message key: `host_<reason>`; "" when starting or ready. */
  reason: string;
  /** What the host itself said about it, if anything. */
  message: string;
  /** What a person can run to mend it. */
  command?: string;
  /** What hello said, when ready. */
  hello?: LifeHelloResult;
  /** Absent where it is not known. */
  area?: AreaPlace;
  /** The keys that stay in the browser. */
  left?: string[];
}

/** As much of chrome.storage.StorageArea as is used. */
export interface BrowserArea {
  get(keys: null | string | string[] | Record<string, any>): Promise<Record<string, any>>;
  getKeys?(): Promise<string[]>;
  set(items: Record<string, any>): Promise<void>;
  remove(keys: string | string[]): Promise<void>;
  getBytesInUse(keys: string[]): Promise<number>;
  onChanged: {
    addListener(listener: (changes: Record<string, any>) => void): void;
    removeListener(listener: (changes: Record<string, any>) => void): void;
  };
}

export interface Envelope {
  jsonrpc?: "2.0";
  id?: string | number | null;
  method?: string;
  params?: any;
  result?: any;
  error?: WireError;
  part?: Part;
}

export interface Part {
  stream: string;
  seq: number;
  last: boolean;
  text: string;
}

/** As much of chrome.runtime.Port as is used, so that tests can stand in for the browser. */
export interface PortLike {
  name?: string;
  sender?: { id?: string; url?: string; origin?: string };
  postMessage(message: any): void;
  disconnect(): void;
  onMessage: { addListener(listener: (message: any) => void): void };
  onDisconnect: { addListener(listener: () => void): void };
}

export interface Clock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface RequestOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What pages may ask: the host's methods, and the worker's own. */
export interface PageMethods extends Methods {
  "page.remember": { params: CachedPage; result: object };
  "page.recall": { params: { url: string }; result: { page: CachedPage | null } };
  "host.retry": { params: object; result: HostStatus };
  "area.accept": { params: object; result: HostStatus };
}

/** What pages hear: the host's announcements, and the worker's own. */
export interface PageNotifications extends Notifications {
  "host.state": HostStatus;
}

export interface Requester {
  request<Name extends keyof PageMethods>(
    method: Name,
    params?: PageMethods[Name]["params"],
    options?: RequestOptions,
  ): Promise<PageMethods[Name]["result"]>;
}

/** One of the providers that `storage.getAll` lists, built-ins merged in. */
export interface Provider {
  name: string;
  kind: string;
  baseUrl: string;
  model: string;
  models?: string[];
  temperature?: number;
  maxTokens?: number;
  window?: number;
  alternate?: boolean;
  keySet?: boolean;
}

/** What content/extract.js hands back. `base64` is a PDF's file, whose text the host reads; `leftOut` counts characters beyond what goes along. */
export type Extraction =
  | { ok: true; url: string; title: string; mode: string; text: string; base64?: string; leftOut?: number; videoSrc?: string }
  | { ok: false; problem: "empty" | "pdf_file" | "pdf_too_large" | "pdf_unreachable" | "pdf_selection" | "not_text" | "no_selection" };

/** What the worker remembers of a page that was attached: see page-cache.js. */
export interface CachedPage {
  url: string;
  tabId: number;
  /** SHA-256 of its text. */
  digest: string;
}
