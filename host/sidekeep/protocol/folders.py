"""folders.* (docs/protocol.md, Sessions and folders)."""

from sidekeep.protocol.model import Name, Params, Shape, Text


class Folder(Shape):
    """`chats` counts those in it; `excluded` keeps them from other programs."""

    id: str
    name: str
    chats: int
    excluded: bool


class FolderList(Shape):
    folders: list[Folder]


class NamedFolder(Shape):
    id: str
    name: str


class CreateParams(Params):
    name: Text


class IdParams(Params):
    id: Name


class RenameParams(Params):
    id: Name
    name: Text


class ExcludeParams(Params):
    id: Name
    excluded: bool
