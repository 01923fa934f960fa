"""attachments.*: pages as entries of the conversation."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sidekeep.protocol.model import Name, Params, Shape, Text


class Page(Params):
    url: Annotated[str, Field(max_length=65_536)]
    title: Annotated[str, Field(max_length=65_536)]
    mode: Annotated[str, Field(max_length=200)]
    text: Text
    headerBlock: Annotated[str, Field(max_length=65_536)] | None = None


class File(Params):
    """A PDF or a text file; at most what one message carries. `url`: where it was found, '' for one of this machine."""

    name: Name
    mime: Annotated[str, Field(max_length=200)]
    base64: Text
    url: Annotated[str, Field(max_length=65_536)] = ""


class AddParams(Params):
    """Either a page or a file."""

    page: Page | None = None
    file: File | None = None
    images: Annotated[list[Text], Field(max_length=1000, default_factory=list)]
    videoSrc: Annotated[str, Field(max_length=65_536)] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.page is None) == (self.file is None):
            raise ValueError("either page or file")
        return self


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
