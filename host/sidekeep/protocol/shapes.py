"""Shapes that several methods share (docs/protocol.md, Shapes)."""

from typing import Any, Literal

from sidekeep.protocol.model import Millis, Shape

Pixels = Literal["full", "thumbnail", "none"]


class Cost(Shape):
    """What tokens cost by the list of prices of the day `asOf` (YYYY-MM-DD)."""

    amount: float
    currency: str
    asOf: str


class Usage(Shape):
    promptTokens: int
    completionTokens: int
    cachedTokens: int | None = None
    reasoningTokens: int | None = None
    cost: Cost | None = None


class TextPart(Shape):
    type: Literal["text"]
    text: str


class ImageUrl(Shape):
    """`url` is a data URL of the original, of its thumbnail, or absent, as `pixels` asked. `bytes` are the original's."""

    url: str | None = None
    ref: str | None = None
    width: int | None = None
    height: int | None = None
    bytes: int | None = None


class ImagePart(Shape):
    type: Literal["image_url"]
    image_url: ImageUrl


class Message(Shape):
    id: str
    role: str
    content: str | list[TextPart | ImagePart | dict[str, Any]]
    createdAt: Millis
    attachId: str | None = None
    imagesSeen: bool | None = None
    summaryOf: str | None = None
    videoSrc: str | None = None
    summarized: bool | None = None
    originalChars: int | None = None
    interrupted: bool | None = None
    rescued: bool | None = None
    readInPart: bool | None = None
    sawImagesOf: list[str] | None = None
    provider: str | None = None
    model: str | None = None
    usage: Usage | None = None
    report: "Report | None" = None


class Spent(Shape):
    """What a chat's answers have taken in all, whatever became of them; `costs` by currency."""

    promptTokens: int
    completionTokens: int
    cachedTokens: int
    costs: dict[str, float]


class Session(Shape):
    """A saved chat."""

    id: str
    name: str
    createdAt: Millis
    updatedAt: Millis
    pinned: bool
    folder: str | None
    messages: int
    bytes: int
    contentMatch: bool | None = None
    snippet: str | None = None
    usage: Spent | None = None


class Provider(Shape):
    name: str
    kind: Literal["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "offline"]
    baseUrl: str
    model: str
    models: list[str] | None = None
    temperature: float | None = None
    maxTokens: int | None = None
    window: int | None = None
    agent: bool | None = None
    alternate: bool | None = None
    keySet: bool


class Report(Shape):
    """What a request left out, and how large it is."""

    imagesLabelled: int
    imagesSent: int
    attachmentsAged: int
    attachmentsTrimmed: int
    messagesDropped: int
    charsDropped: int
    estimatedTokens: int
    cut: str | None = None
    windowTokens: int
    windowSource: Literal["user", "learned", "server", "registry", "default"]
    bytes: int


class Notice(Shape):
    kind: str
    message: str


class Amount(Shape):
    count: int
    bytes: int


class ModelState(Shape):
    installed: bool
    running: bool


class Status(Shape):
    """`path`: the store's file; None in a private window, and for another extension."""

    conversations: int
    messages: int
    bytes: int
    blobs: Amount
    archives: Amount
    limits: dict[str, int]
    evicted: dict[str, int | None]
    lastBackupAt: Millis | None
    path: str | None
    sqlite: str
    model: ModelState
    notices: list[Notice]


class WireError(Shape):
    """A JSON-RPC error; `data.kind` names it."""

    code: int
    message: str
    data: dict[str, Any]
