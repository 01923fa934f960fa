/** What the panel's parts share: app.js is one and hands it to each. */

import type { Texts } from "../lib/i18n.js";
import type { Alert, StatusLine } from "../lib/notices.js";
import type { Requester } from "../lib/types.js";
import type { Asking } from "./asking.js";
import type { Attaching } from "./attaching.js";
import type { Composer } from "./composer.js";
import type { Conversation } from "./conversation.js";
import type { Sync } from "./sync.js";
import type { Transcript } from "./transcript.js";

export interface Panel {
  host: Requester;
  texts: Texts;
  conversation: Conversation;
  sync: Sync;
  status: StatusLine;
  alert: Alert;
  transcript: Transcript;
  composer: Composer;
  attaching: Attaching;
  asking: Asking;
  /** Show what the conversation holds now. */
  showAll(): void;
  /** Another conversation is the live one. */
  turnedTo(): Promise<void>;
  /** Tell a person what went wrong. */
  complain(error: unknown): void;
}
