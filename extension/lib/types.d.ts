/** What the extension's own modules say to each other. The wire's shapes are in protocol.d.ts. */

/** What the panel's `data-state` shows. */
export type HostState = "starting" | "ready" | "no-host" | "outdated" | "crashed";

export interface HostStatus {
  state: HostState;
  /** Why, as the end of a message key: `host_<reason>`; "" when starting or ready. */
  reason: string;
  /** What the host itself said about it, if anything. */
  message: string;
  /** What a person can run to mend it. */
  command?: string;
  /** What hello said, when ready. */
  hello?: HelloResult;
}

export interface HelloResult {
  server: string;
  version: string;
  protocol: number;
  store?: { engine: string; id: string; bytes: number; conversations: number };
  capabilities?: string[];
}

export interface WireError {
  code: number;
  message: string;
  data?: { kind?: string; [member: string]: unknown };
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

/** Both ends of the worker's port and the page's client answer requests this way. */
export interface Requester {
  request(method: string, params?: object, options?: RequestOptions): Promise<any>;
}

export type Content =
  | string
  | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url?: string; ref?: string; width?: number; height?: number; bytes?: number } })[];

export interface Message {
  id: string;
  role: string;
  content: Content;
  createdAt: number;
  attachId?: string;
  interrupted?: boolean;
  provider?: string;
  model?: string;
}

export interface Provider {
  name: string;
  kind: string;
  baseUrl: string;
  model: string;
  models?: string[];
  temperature?: number;
  maxTokens?: number;
  window?: number;
  keySet?: boolean;
}

export interface Session {
  id: string;
  name: string;
  createdAt: number;
  updatedAt: number;
  pinned: boolean;
  folder: string | null;
  messages: number;
  bytes: number;
}

export interface PeekedTurn {
  turn: string;
  session: string;
  text: string;
  reasoning: string;
  startedAt: number;
}

/** What content/extract.js hands back. */
export type Extraction =
  | { ok: true; url: string; title: string; mode: string; text: string }
  | { ok: false; problem: "empty" | "pdf" | "not_text" };
