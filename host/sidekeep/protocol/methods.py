"""The method table: every method and notification of the wire, with the types of its parameters and result.

Types are named, not imported: pydantic costs 70 ms, and hello, ping and storage.* are answered without it (they are checked
by hand, and tests hold those checks against the types here).
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic import BaseModel


class Signature(NamedTuple):
    """`module:Type` below `sidekeep.protocol`, for parameters and result."""

    params: str
    result: str


METHODS: dict[str, Signature] = {
    "hello": Signature("life:HelloParams", "life:HelloResult"),
    "ping": Signature("model:NoParams", "model:Empty"),
    "status": Signature("model:NoParams", "shapes:Status"),
    "settings.get": Signature("model:NoParams", "settings:InForce"),
    "settings.set": Signature("settings:ChangeParams", "settings:InForce"),
    "settings.preview": Signature("settings:ChangeParams", "settings:Preview"),
    "storage.get": Signature("storage:GetParams", "storage:Items"),
    "storage.getAll": Signature("model:NoParams", "storage:Items"),
    "storage.set": Signature("storage:SetParams", "model:Empty"),
    "storage.remove": Signature("storage:KeysParams", "model:Empty"),
    "storage.clear": Signature("model:NoParams", "model:Empty"),
    "storage.getBytesInUse": Signature("storage:BytesParams", "storage:Bytes"),
    "storage.getKeys": Signature("model:NoParams", "storage:Keys"),
    "storage.watch": Signature("storage:WatchParams", "model:Empty"),
    "history.get": Signature("history:GetParams", "history:History"),
    "history.append": Signature("history:AppendParams", "history:Appended"),
    "history.remove": Signature("history:IdParams", "model:Empty"),
    "history.truncate": Signature("history:TruncateParams", "history:Removed"),
    "history.clear": Signature("history:ClearParams", "model:Empty"),
    "image.get": Signature("history:ImageParams", "history:Image"),
    "sessions.list": Signature("sessions:ListParams", "sessions:SessionList"),
    "sessions.save": Signature("sessions:SaveParams", "shapes:Session"),
    "sessions.load": Signature("sessions:IdParams", "sessions:Loaded"),
    "sessions.get": Signature("sessions:GetParams", "sessions:SessionWithMessages"),
    "sessions.rename": Signature("sessions:RenameParams", "shapes:Session"),
    "sessions.pin": Signature("sessions:PinParams", "shapes:Session"),
    "sessions.move": Signature("sessions:MoveParams", "shapes:Session"),
    "sessions.branch": Signature("sessions:BranchParams", "shapes:Session"),
    "sessions.delete": Signature("sessions:DeleteParams", "sessions:Deleted"),
    "sessions.clear": Signature("sessions:ClearParams", "sessions:Deleted"),
    "sessions.compact": Signature("sessions:CompactParams", "sessions:Compacted"),
    "sessions.restore": Signature("sessions:CheckpointParams", "sessions:Compacted"),
    "sessions.checkpoints": Signature("sessions:IdParams", "sessions:CheckpointList"),
    "sessions.deleteCheckpoint": Signature("sessions:CheckpointParams", "model:Empty"),
    "folders.list": Signature("model:NoParams", "folders:FolderList"),
    "folders.create": Signature("folders:CreateParams", "folders:NamedFolder"),
    "folders.rename": Signature("folders:RenameParams", "folders:NamedFolder"),
    "folders.exclude": Signature("folders:ExcludeParams", "model:Empty"),
    "folders.delete": Signature("folders:IdParams", "model:Empty"),
    "archive.list": Signature("archive:ListParams", "archive:ArchiveList"),
    "archive.get": Signature("archive:GetParams", "archive:ArchiveWithMessages"),
    "archive.restore": Signature("archive:IdParams", "shapes:Session"),
    "archive.purge": Signature("archive:PurgeParams", "archive:Purged"),
    "attachments.add": Signature("attachments:AddParams", "attachments:Added"),
    "attachments.get": Signature("attachments:IdParams", "attachments:Attachment"),
    "attachments.remove": Signature("attachments:IdParams", "model:Empty"),
    "attachments.restore": Signature("attachments:IdParams", "model:Empty"),
    "backups.list": Signature("model:NoParams", "backups:BackupList"),
    "backups.make": Signature("model:NoParams", "backups:Made"),
    "adoption.state": Signature("model:NoParams", "adoption:State"),
    "adoption.body": Signature("adoption:BodyParams", "adoption:Body"),
    "adoption.finish": Signature("adoption:FinishParams", "adoption:Finished"),
    "adoption.read": Signature("adoption:ReadParams", "adoption:Read"),
    "transfer.open": Signature("transfer:OpenParams", "transfer:Opened"),
    "transfer.chunk": Signature("transfer:ChunkParams", "model:Empty"),
    "transfer.commit": Signature("transfer:CommitParams", "transfer:Import"),
    "transfer.export": Signature("transfer:ExportParams", "transfer:Exported"),
    "turn.send": Signature("turns:SendParams", "turns:Started"),
    "turn.cancel": Signature("turns:TurnParams", "model:Empty"),
    "turn.peek": Signature("model:NoParams", "turns:Peek"),
    "request.prepare": Signature("requests:PrepareParams", "requests:Prepared"),
    "request.failed": Signature("requests:FailedParams", "requests:Failed"),
    "request.succeeded": Signature("requests:SucceededParams", "model:Empty"),
    "providers.models": Signature("providers:ProviderParams", "providers:Models"),
    "providers.test": Signature("providers:ProviderParams", "providers:Tested"),
    "providers.detect": Signature("model:NoParams", "providers:Detected"),
    "secrets.set": Signature("providers:SecretParams", "model:Empty"),
    "secrets.clear": Signature("providers:ProviderParams", "model:Empty"),
}

NOTIFICATIONS: dict[str, str] = {
    "status.changed": "life:StatusChanged",
    "storage.onChanged": "storage:OnChanged",
    "transfer.progress": "transfer:Progress",
    "turn.started": "turns:TurnStarted",
    "turn.delta": "turns:TurnDelta",
    "turn.reasoning": "turns:TurnDelta",
    "turn.status": "turns:TurnStatus",
    "turn.done": "turns:TurnDone",
    "turn.failed": "turns:TurnFailed",
}


def load(name: str) -> "type[BaseModel]":
    """The type behind `module:Type`."""
    module, _, attribute = name.partition(":")
    found: type[BaseModel] = getattr(import_module(f"sidekeep.protocol.{module}"), attribute)
    return found
