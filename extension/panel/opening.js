/**
 * The panel opens. Its chat is asked for and shown before the rest of the panel is loaded, which is `app.js`: a module costs about 2 ms,
 * and a person reads before doing anything (`build.py bench --only panel`).
 */

import * as browser from "../lib/chrome.js";
import { need } from "../lib/dom.js";
import { HostClient } from "../lib/host-client.js";
import { loadTexts, translatePage } from "../lib/i18n.js";
import { applyLook, rememberedLook } from "../lib/settings.js";
import { Conversation } from "./conversation.js";
import { Sync } from "./sync.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { HostStatus } from "../lib/types.js" */
/** @import { App } from "./app.js" */
/** @import { Transcript } from "./transcript.js" */
/** @import { ViewMeans } from "./message-view.js" */

/**
 * What is there before the rest of the panel.
 * @typedef {object} Opened
 * @property {HostClient} host
 * @property {Texts} texts
 * @property {Conversation} conversation
 * @property {Sync} sync
 * @property {Transcript} transcript
 * @property {HostStatus | null} read the status under which the conversation has been read; null where it has not
 */

/** The rest of the panel: what is asked of it before it is there waits for it. @type {PromiseWithResolvers<App>} */
const app = Promise.withResolvers();
const host = new HostClient({ connect: browser.connectWorker, clock: browser.clock });
const conversation = new Conversation();
const sync = new Sync(host, conversation, {
  onChange: () => {},
  onStarted: (event, late) => conversation.started(event, late),
  onError: async (error) => (await app.promise).complain(error),
});

/**
 * Read the conversation if a host is there at once.
 * @returns {Promise<HostStatus | null>}
 */
async function firstReading() {
  const told = new AbortController();
  /** @type {HostStatus} */
  const status = await new Promise((resolve) => {
    host.on("host.state", resolve, { signal: told.signal });
    host.start();
  });
  told.abort();
  if (status.state !== "ready") return null;
  return sync.read().then(
    () => status,
    () => null, // read again by the rest of the panel, which can say what is wrong
  );
}

/**
 * Hold what is sent before the rest of the panel is there.
 * @param {HTMLElement} form
 * @returns {() => void} has it sent
 */
function holdSending(form) {
  /** @type {Event[]} */
  const held = [];
  const waiting = new AbortController();
  const hold = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation(); // the composer may be listening already, its draft not yet back
    held.push(event);
  };
  form.addEventListener("submit", hold, { signal: waiting.signal });
  need("#composer-input").addEventListener("keydown", (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && hold(event), { signal: waiting.signal });
  return () => {
    waiting.abort();
    // Once is enough: whoever sees nothing happen presses again.
    const [first] = held;
    if (first instanceof KeyboardEvent) first.target?.dispatchEvent(new KeyboardEvent("keydown", first));
    else if (first) form.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
  };
}

/** What a person asks of a message. @type {Omit<ViewMeans, "texts" | "dress">} */
const deeds = {
  actions: {
    onAgain: async (message) => (await app.promise).asking.again(message),
    onEdited: async (question, text) => (await app.promise).asking.replace(question, text),
    onBranch: async (message) => (await app.promise).asking.branch(message),
    onDelete: async (message) => (await app.promise).asking.remove(message),
  },
  onPicture: async (picture) => (await app.promise).viewer.open(picture),
  onRestore: async (attachId) => (await app.promise).attaching.restore(attachId),
  earlier: {
    read: async (checkpoint) => (await app.promise).compacting.read(checkpoint),
    onReturn: async (checkpoint) => (await app.promise).compacting.goBack(checkpoint),
  },
};

const look = rememberedLook();
applyLook(look);
const sendHeld = holdSending(need("#composer"));
const reading = firstReading();
const [texts, { drawIcons }, { dressing }, views] = await Promise.all([
  loadTexts(look.uiLanguage, async (path) => (await fetch(browser.url(path))).json()),
  import("../lib/icons.js"),
  import("../lib/dressing.js"),
  import("./transcript.js"),
]);
document.documentElement.lang = texts.language;
translatePage(document, texts);
drawIcons(document);
const dress = dressing(texts, { hasVideo: () => conversation.videoSrc !== "", onSeek: async (seconds) => (await app.promise).attaching.seek(seconds) });
const transcript = new views.Transcript(need("#transcript"), conversation, { texts, dress, ...deeds });
const read = await reading;
if (read) transcript.renderEnd();
sync.events.onChange = () => transcript.show();
const rest = await import("./app.js");
app.resolve(new rest.App({ host, texts, conversation, sync, transcript, read }));
await (await app.promise).start();
sendHeld();
