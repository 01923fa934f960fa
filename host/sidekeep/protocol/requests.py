"""request.*: for an extension that does its own fetch."""

from typing import Annotated, Any

from pydantic import Field

from sidekeep.protocol.model import Name, Params, Shape, Text
from sidekeep.protocol.shapes import Report
from sidekeep.protocol.turns import ImageRef

Tokens = Annotated[int, Field(ge=0)]


class PrepareParams(Params):
    """`dialect` is a PROVIDER.kind; without it the provider's own."""

    text: Text
    images: Annotated[list[Text | ImageRef], Field(max_length=1000)] | None = None
    provider: Name
    dialect: Name | None = None


class Prepared(Shape):
    """The question is in the store. `body` is the JSON document to POST to `url`; the key is the client's own to add."""

    request: str
    url: str
    body: dict[str, Any]
    report: Report


class FailedParams(Params):
    """`body` is the provider's answer as it came; `status` is absent where there was none."""

    request: Name
    status: int | None = None
    body: Text


class Retry(Shape):
    body: dict[str, Any]
    report: Report


class Failed(Shape):
    retry: Retry | None


class UsageParams(Params):
    promptTokens: Tokens
    completionTokens: Tokens
    cachedTokens: Tokens | None = None
    reasoningTokens: Tokens | None = None


class SucceededParams(Params):
    """`message` is the answer, a MESSAGE; its role is the assistant's."""

    request: Name
    message: dict[str, Any]
    usage: UsageParams | None = None
