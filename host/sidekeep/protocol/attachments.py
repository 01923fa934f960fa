"""attachments.*: pages as entries of the conversation."""

from typing import Annotated

from pydantic import Field

from sidekeep.protocol.model import Name, Params, Shape, Text


class Page(Params):
    url: Annotated[str, Field(max_length=65_536)]
    title: Annotated[str, Field(max_length=65_536)]
    mode: Annotated[str, Field(max_length=200)]
    text: Text
    headerBlock: Annotated[str, Field(max_length=65_536)] | None = None


class AddParams(Params):
    page: Page
    images: Annotated[list[Text], Field(max_length=1000, default_factory=list)]
    videoSrc: Annotated[str, Field(max_length=65_536)] | None = None


class Added(Shape):
    attachId: str
    title: str
    chars: int
    images: int
    willSummarize: bool


class IdParams(Params):
    attachId: Name


class Attachment(Shape):
    """An attachment's original text, and its pictures' refs."""

    text: str
    summary: str | None = None
    images: list[str]
