// The wire's types, made from host/sidekeep/protocol/ by `python -m sidekeep.protocol.typescript`. Do not edit.
// What they mean: docs/protocol.md.

/** The id the body has in the store. */
export interface AdoptionBody {
  id: string;
}

/** `value` is what the browser has under `session_<id>`; any text may be an id there, also none. */
export interface AdoptionBodyParams {
  id: string;
  value: unknown;
}

/** Every key of the browser's storage but the bodies. */
export interface AdoptionFinishParams {
  items: Record<string, unknown>;
}

/** `renamed`: session ids that became others. `kept`: keys for which the store's own value stays. */
export interface AdoptionFinished {
  renamed: Record<string, string>;
  kept: string[];
}

export interface AdoptionRead {
  value: unknown;
}

export interface AdoptionReadParams {
  key: string;
}

export interface AdoptionState {
  adopted: boolean;
}

export interface Amount {
  count: number;
  bytes: number;
}

/** What left a conversation. `part`: a chat, a transcript from before a compaction, or messages that were taken out. */
export interface Archive {
  id: string;
  sessionId: string;
  chat: string | null;
  name: string;
  folder: string | null;
  reason: "reset" | "deleted";
  evicted: boolean;
  part: "chat" | "earlier" | "messages";
  archivedAt: number;
  messages: number;
  bytes: number;
}

export interface ArchiveGetParams {
  id: string;
  pixels?: "full" | "thumbnail" | "none";
}

export interface ArchiveIdParams {
  id: string;
}

export interface ArchiveList {
  archives: Archive[];
  total: number;
}

export interface ArchiveListParams {
  query?: string;
  reason?: "reset" | "deleted";
  evicted?: boolean;
  limit?: number;
  offset?: number;
}

/** Either the archives named, or those from before a time. */
export interface ArchivePurgeParams {
  ids?: string[];
  before?: number;
}

/** `bytes` were given back; `backups` are files that still hold some of it. */
export interface ArchivePurged {
  purged: number;
  bytes: number;
  backups: string[];
}

export interface ArchiveWithMessages {
  archive: Archive;
  messages: Message[];
}

/** Either a page or a file. */
export interface AttachmentsAddParams {
  page?: Page;
  file?: File;
  images?: string[];
  videoSrc?: string;
}

export interface AttachmentsAdded {
  attachId: string;
  title: string;
  chars: number;
  images: number;
  willSummarize: boolean;
}

/** An attachment's original text, and its pictures' refs. */
export interface AttachmentsAttachment {
  text: string;
  summary?: string;
  images: string[];
}

export interface AttachmentsIdParams {
  attachId: string;
}

export interface Backup {
  name: string;
  at: number;
  bytes: number;
}

/** The newest first. */
export interface BackupsBackupList {
  backups: Backup[];
}

/** `removed`: how many older ones went for it. */
export interface BackupsMade {
  backup: Backup;
  removed: number;
}

/** A moment to which a chat can return; `messages` counts what it had then. */
export interface Checkpoint {
  id: string;
  createdAt: number;
  reason: string;
  messages: number;
  preCompaction: Side;
  postCompaction: Side;
}

/** What tokens cost by the list of prices of the day `asOf` (YYYY-MM-DD). */
export interface Cost {
  amount: number;
  currency: string;
  asOf: string;
}

/** A result that says only that it is done. */
export interface Empty {
}

export interface Evict {
  chats: Session[];
  messages: number;
}

export interface Evicted {
  chats: number;
  messages: number;
  since: number | null;
}

/** `where` is a file and a place in it, `reason` a sentence. */
export interface Failed {
  where: string;
  reason: string;
}

/** A PDF or a text file; at most what one message carries. `url`: where it was found, '' for one of this machine. */
export interface File {
  name: string;
  mime: string;
  base64: string;
  url?: string;
}

/** `chats` counts those in it; `excluded` keeps them from other programs. */
export interface Folder {
  id: string;
  name: string;
  chats: number;
  excluded: boolean;
}

export interface FoldersCreateParams {
  name: string;
}

export interface FoldersExcludeParams {
  id: string;
  excluded: boolean;
}

export interface FoldersFolderList {
  folders: Folder[];
}

export interface FoldersIdParams {
  id: string;
}

export interface FoldersNamedFolder {
  id: string;
  name: string;
}

export interface FoldersRenameParams {
  id: string;
  name: string;
}

export interface History {
  messages: Message[];
  activeSessionId: string;
}

export interface HistoryAppendParams {
  message: Record<string, unknown>;
}

export interface HistoryAppended {
  id: string;
  index: number;
}

export interface HistoryClearParams {
  temporary?: boolean;
}

export interface HistoryGetParams {
  pixels?: "full" | "thumbnail" | "none";
}

export interface HistoryIdParams {
  id: string;
}

/** The original picture. */
export interface HistoryImage {
  dataUrl: string;
  width: number;
  height: number;
  bytes: number;
}

export interface HistoryImageParams {
  ref: string;
}

export interface HistoryRemoved {
  removed: number;
}

export interface HistoryTruncateParams {
  id: string;
  inclusive?: boolean;
}

export interface ImagePart {
  type: "image_url";
  image_url: ImageUrl;
}

export interface ImageRef {
  ref: string;
}

/** `url` is a data URL of the original, of its thumbnail, or absent, as `pixels` asked. `bytes` are the original's. */
export interface ImageUrl {
  url?: string;
  ref?: string;
  width?: number;
  height?: number;
  bytes?: number;
}

/** A key that lies in the file and was not taken. */
export interface KeyFound {
  where: string;
  provider: string;
}

export interface LifeHelloParams {
  client: string;
  version: string;
  protocol: number;
  profile?: string;
  incognito?: boolean;
}

export interface LifeHelloResult {
  server: string;
  version: string;
  protocol: number;
  store: StoreInfo;
  capabilities: string[];
}

/** Notification `status.changed`. */
export interface LifeStatusChanged {
  notices: Notice[];
}

export interface Message {
  id: string;
  role: string;
  content: string | (TextPart | ImagePart | Record<string, unknown>)[];
  createdAt: number;
  attachId?: string;
  imagesSeen?: boolean;
  summaryOf?: string;
  videoSrc?: string;
  summarized?: boolean;
  originalChars?: number;
  interrupted?: boolean;
  rescued?: boolean;
  readInPart?: boolean;
  sawImagesOf?: string[];
  provider?: string;
  model?: string;
  usage?: Usage;
  report?: Report;
}

export interface Model {
  id: string;
  window?: number;
  vision?: boolean;
}

export interface ModelState {
  installed: boolean;
  running: boolean;
}

/** No parameters. */
export interface NoParams {
}

export interface Notice {
  kind: string;
  message: string;
}

export interface Page {
  url: string;
  title: string;
  mode: string;
  text: string;
  headerBlock?: string;
}

export interface Provider {
  name: string;
  kind: "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ollama" | "offline";
  baseUrl: string;
  model: string;
  models?: string[];
  temperature?: number;
  maxTokens?: number;
  window?: number;
  agent?: boolean;
  alternate?: boolean;
  keySet: boolean;
}

/** Servers on this computer that answered just now. No key was sent to them; `keySet` is false. */
export interface ProvidersDetected {
  found: Provider[];
}

export interface ProvidersModels {
  models: Model[];
}

export interface ProvidersProviderParams {
  provider: string;
}

export interface ProvidersSecretParams {
  provider: string;
  apiKey: string;
}

export interface ProvidersTested {
  ok: boolean;
  status?: number;
  message: string;
  models?: Model[];
}

/** What a request left out, and how large it is. */
export interface Report {
  imagesLabelled: number;
  imagesSent: number;
  attachmentsAged: number;
  attachmentsTrimmed: number;
  messagesDropped: number;
  charsDropped: number;
  estimatedTokens: number;
  cut?: string;
  windowTokens: number;
  windowSource: "user" | "learned" | "server" | "registry" | "default";
  bytes: number;
}

export interface RequestsFailed {
  retry: Retry | null;
}

/** `body` is the provider's answer as it came; `status` is absent where there was none. */
export interface RequestsFailedParams {
  request: string;
  status?: number;
  body: string;
}

/** `dialect` is a PROVIDER.kind; without it the provider's own. */
export interface RequestsPrepareParams {
  text: string;
  images?: (string | ImageRef)[];
  provider: string;
  dialect?: string;
}

/** The question is in the store. `body` is the JSON document to POST to `url`; the key is the client's own to add. */
export interface RequestsPrepared {
  request: string;
  url: string;
  body: Record<string, unknown>;
  report: Report;
}

/** `message` is the answer, a MESSAGE; its role is the assistant's. */
export interface RequestsSucceededParams {
  request: string;
  message: Record<string, unknown>;
  usage?: UsageParams;
}

export interface Retry {
  body: Record<string, unknown>;
  report: Report;
}

export interface Running {
  turn: string;
  session: string;
  text: string;
  reasoning: string;
  startedAt: number;
  report?: Report;
}

/** A saved chat. */
export interface Session {
  id: string;
  name: string;
  createdAt: number;
  updatedAt: number;
  pinned: boolean;
  folder: string | null;
  messages: number;
  bytes: number;
  contentMatch?: boolean;
  snippet?: string;
  usage?: Spent;
}

/** Without `id` from the live conversation. */
export interface SessionsBranchParams {
  id?: string;
  messageId: string;
}

export interface SessionsCheckpointList {
  checkpoints: Checkpoint[];
}

export interface SessionsCheckpointParams {
  id: string;
  checkpoint: string;
}

export interface SessionsClearParams {
  forGood?: boolean;
}

/** Without `id` the live conversation's chat; without `summary` the active model writes one. What stands from `firstKept` on stays word for word. */
export interface SessionsCompactParams {
  id?: string;
  summary?: string;
  firstKept?: string;
}

export interface SessionsCompacted {
  session: Session;
  checkpoint: Checkpoint;
}

export interface SessionsDeleteParams {
  ids: string[];
  forGood?: boolean;
}

/** `backups`, after a deletion for good: files that still hold some of it. */
export interface SessionsDeleted {
  deleted: number;
  backups?: string[];
}

/** With `checkpoint`, the messages are those that it has. */
export interface SessionsGetParams {
  id: string;
  checkpoint?: string;
  pixels?: "full" | "thumbnail" | "none";
}

export interface SessionsIdParams {
  id: string;
}

export interface SessionsListParams {
  query?: string;
  folder?: string;
  limit?: number;
  offset?: number;
}

export interface SessionsLoaded {
  messages: number;
  activeSessionId: string;
}

export interface SessionsMoveParams {
  id: string;
  folder: string | null;
}

export interface SessionsPinParams {
  id: string;
  pinned: boolean;
}

export interface SessionsRenameParams {
  id: string;
  name: string;
}

export interface SessionsSaveParams {
  name?: string;
}

export interface SessionsSessionList {
  sessions: Session[];
  total: number;
  archivedMatches: number;
  evicted: Evicted;
}

export interface SessionsSessionWithMessages {
  session: Session;
  messages: Message[];
}

/** `null` takes a panel's value away again. */
export interface SettingsChangeParams {
  settings: Record<string, unknown>;
}

/** `pending`: limits that were lowered in the file and wait for a confirmation; `settings` has those in force until then. */
export interface SettingsInForce {
  settings: Record<string, boolean | number | string | string[]>;
  source: Record<string, "default" | "file" | "panel">;
  pending: Record<string, number>;
}

export interface SettingsPreview {
  evict: Evict;
}

export interface Side {
  sessionId: string;
}

/** What a chat's answers have taken in all, whatever became of them; `costs` by currency. */
export interface Spent {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  costs: Record<string, number>;
}

/** `path`: the store's file; None in a private window, and for another extension. */
export interface Status {
  conversations: number;
  messages: number;
  bytes: number;
  blobs: Amount;
  archives: Amount;
  limits: Record<string, number>;
  evicted: Record<string, number | null>;
  lastBackupAt: number | null;
  path: string | null;
  sqlite: string;
  model: ModelState;
  notices: Notice[];
}

export interface StorageBytes {
  bytes: number;
}

export interface StorageBytesParams {
  keys?: string | string[];
}

export interface StorageGetParams {
  keys?: string | string[] | Record<string, unknown>;
}

export interface StorageItems {
  items: Record<string, unknown>;
}

export interface StorageKeys {
  keys: string[];
}

export interface StorageKeysParams {
  keys: string | string[];
}

/** Notification `storage.onChanged`; a change is {oldValue?, newValue?}, or {stale: true} for a watched key without values. */
export interface StorageOnChanged {
  changes: Record<string, Record<string, unknown>>;
  areaName: string;
}

/** `quotaBytes`: the most that all keys and values may then take; absent, there is no limit. */
export interface StorageSetParams {
  items: Record<string, unknown>;
  quotaBytes?: number;
}

export interface StorageWatchParams {
  keys: string[];
  values: boolean;
}

export interface StoreInfo {
  engine: string;
  id: string;
  bytes: number;
  conversations: number;
}

export interface TextPart {
  type: "text";
  text: string;
}

/** The pieces of a file, `seq` from 0 on. */
export interface TransferChunkParams {
  transfer: string;
  seq: number;
  base64: string;
}

export interface TransferCommitParams {
  transfer: string;
  dryRun?: boolean;
}

/** `redact` replaces addresses by `[URL]`. `transfer` is a name of the caller's own, under which it hears of the progress. */
export interface TransferExportParams {
  what: "all" | string[];
  format: "json" | "markdown" | "html";
  redact?: boolean;
  transfer?: string;
}

/** `file` lies in the data home's `exports/`; of Markdown it is the one to open, and `bytes` are all files'. */
export interface TransferExported {
  file: string;
  bytes: number;
}

/** What became of an import. `archived` went to the archive, past the limit of chats, and is not among `added`. `checkpoints` are earlier states of chats, from before the summaries that lie in the file. */
export interface TransferImport {
  source: string;
  added: number;
  updated: number;
  unchanged: number;
  archived: number;
  checkpoints: number;
  failed: Failed[];
  keysFound: KeyFound[];
}

/** `name` is for reports; `bytes` is the file's size. */
export interface TransferOpenParams {
  name: string;
  bytes: number;
}

export interface TransferOpened {
  transfer: string;
}

/** `done` of `total` bytes, and how many conversations have been read. Of an export the pieces are counted: pictures, chats, archives. */
export interface TransferProgress {
  transfer: string;
  done: number;
  total: number;
  conversations: number;
}

export interface TurnsPeek {
  turns: Running[];
}

export interface TurnsSendParams {
  text?: string;
  images?: (string | ImageRef)[];
  provider?: string;
  model?: string;
  replaces?: string;
}

export interface TurnsStarted {
  turn: string;
}

/** Notifications `turn.delta` and `turn.reasoning`; `offset` in code points. */
export interface TurnsTurnDelta {
  turn: string;
  offset: number;
  text: string;
}

/** Notification `turn.done`: the answer is in the store. */
export interface TurnsTurnDone {
  turn: string;
  message: Message;
  usage?: Usage;
  rescued: boolean;
}

/** Notification `turn.failed`: no whole answer. The question stays, and so does what had come, as `message`, interrupted. */
export interface TurnsTurnFailed {
  turn: string;
  error: WireError;
  message?: Message;
}

export interface TurnsTurnParams {
  turn: string;
}

/** Notification `turn.started`: the question is in the store, and this is what the model will be shown. */
export interface TurnsTurnStarted {
  turn: string;
  user: Message;
  report: Report;
}

/** Notification `turn.status`. */
export interface TurnsTurnStatus {
  turn: string;
  kind: string;
  detail?: Record<string, unknown>;
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
  cost?: Cost;
}

export interface UsageParams {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

/** A JSON-RPC error; `data.kind` names it. */
export interface WireError {
  code: number;
  message: string;
  data: Record<string, unknown>;
}

/** Every method: its parameters and its result. */
export interface Methods {
  "hello": { params: LifeHelloParams; result: LifeHelloResult };
  "ping": { params: NoParams; result: Empty };
  "status": { params: NoParams; result: Status };
  "settings.get": { params: NoParams; result: SettingsInForce };
  "settings.set": { params: SettingsChangeParams; result: SettingsInForce };
  "settings.preview": { params: SettingsChangeParams; result: SettingsPreview };
  "storage.get": { params: StorageGetParams; result: StorageItems };
  "storage.getAll": { params: NoParams; result: StorageItems };
  "storage.set": { params: StorageSetParams; result: Empty };
  "storage.remove": { params: StorageKeysParams; result: Empty };
  "storage.clear": { params: NoParams; result: Empty };
  "storage.getBytesInUse": { params: StorageBytesParams; result: StorageBytes };
  "storage.getKeys": { params: NoParams; result: StorageKeys };
  "storage.watch": { params: StorageWatchParams; result: Empty };
  "history.get": { params: HistoryGetParams; result: History };
  "history.append": { params: HistoryAppendParams; result: HistoryAppended };
  "history.remove": { params: HistoryIdParams; result: Empty };
  "history.truncate": { params: HistoryTruncateParams; result: HistoryRemoved };
  "history.clear": { params: HistoryClearParams; result: Empty };
  "image.get": { params: HistoryImageParams; result: HistoryImage };
  "sessions.list": { params: SessionsListParams; result: SessionsSessionList };
  "sessions.save": { params: SessionsSaveParams; result: Session };
  "sessions.load": { params: SessionsIdParams; result: SessionsLoaded };
  "sessions.get": { params: SessionsGetParams; result: SessionsSessionWithMessages };
  "sessions.rename": { params: SessionsRenameParams; result: Session };
  "sessions.pin": { params: SessionsPinParams; result: Session };
  "sessions.move": { params: SessionsMoveParams; result: Session };
  "sessions.branch": { params: SessionsBranchParams; result: Session };
  "sessions.delete": { params: SessionsDeleteParams; result: SessionsDeleted };
  "sessions.clear": { params: SessionsClearParams; result: SessionsDeleted };
  "sessions.compact": { params: SessionsCompactParams; result: SessionsCompacted };
  "sessions.restore": { params: SessionsCheckpointParams; result: SessionsCompacted };
  "sessions.checkpoints": { params: SessionsIdParams; result: SessionsCheckpointList };
  "sessions.deleteCheckpoint": { params: SessionsCheckpointParams; result: Empty };
  "folders.list": { params: NoParams; result: FoldersFolderList };
  "folders.create": { params: FoldersCreateParams; result: FoldersNamedFolder };
  "folders.rename": { params: FoldersRenameParams; result: FoldersNamedFolder };
  "folders.exclude": { params: FoldersExcludeParams; result: Empty };
  "folders.delete": { params: FoldersIdParams; result: Empty };
  "archive.list": { params: ArchiveListParams; result: ArchiveList };
  "archive.get": { params: ArchiveGetParams; result: ArchiveWithMessages };
  "archive.restore": { params: ArchiveIdParams; result: Session };
  "archive.purge": { params: ArchivePurgeParams; result: ArchivePurged };
  "attachments.add": { params: AttachmentsAddParams; result: AttachmentsAdded };
  "attachments.get": { params: AttachmentsIdParams; result: AttachmentsAttachment };
  "attachments.remove": { params: AttachmentsIdParams; result: Empty };
  "attachments.restore": { params: AttachmentsIdParams; result: Empty };
  "backups.list": { params: NoParams; result: BackupsBackupList };
  "backups.make": { params: NoParams; result: BackupsMade };
  "adoption.state": { params: NoParams; result: AdoptionState };
  "adoption.body": { params: AdoptionBodyParams; result: AdoptionBody };
  "adoption.finish": { params: AdoptionFinishParams; result: AdoptionFinished };
  "adoption.read": { params: AdoptionReadParams; result: AdoptionRead };
  "transfer.open": { params: TransferOpenParams; result: TransferOpened };
  "transfer.chunk": { params: TransferChunkParams; result: Empty };
  "transfer.commit": { params: TransferCommitParams; result: TransferImport };
  "transfer.export": { params: TransferExportParams; result: TransferExported };
  "turn.send": { params: TurnsSendParams; result: TurnsStarted };
  "turn.cancel": { params: TurnsTurnParams; result: Empty };
  "turn.peek": { params: NoParams; result: TurnsPeek };
  "request.prepare": { params: RequestsPrepareParams; result: RequestsPrepared };
  "request.failed": { params: RequestsFailedParams; result: RequestsFailed };
  "request.succeeded": { params: RequestsSucceededParams; result: Empty };
  "providers.models": { params: ProvidersProviderParams; result: ProvidersModels };
  "providers.test": { params: ProvidersProviderParams; result: ProvidersTested };
  "providers.detect": { params: NoParams; result: ProvidersDetected };
  "secrets.set": { params: ProvidersSecretParams; result: Empty };
  "secrets.clear": { params: ProvidersProviderParams; result: Empty };
}

/** Every notification the host sends. */
export interface Notifications {
  "status.changed": LifeStatusChanged;
  "storage.onChanged": StorageOnChanged;
  "transfer.progress": TransferProgress;
  "turn.started": TurnsTurnStarted;
  "turn.delta": TurnsTurnDelta;
  "turn.reasoning": TurnsTurnDelta;
  "turn.status": TurnsTurnStatus;
  "turn.done": TurnsTurnDone;
  "turn.failed": TurnsTurnFailed;
}
