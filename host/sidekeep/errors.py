"""Every exception the host raises on purpose, and the wire error each one becomes.

    SidekeepError
    ├── InvalidRequest          not a request, no hello yet
    ├── MethodNotFound
    ├── InvalidParams           parameters of the wrong shape; carries [{loc, msg}]
    ├── ProtocolMismatch        hello with a version this host does not speak
    ├── ForbiddenOrigin         a caller that is not on the allow-list
    ├── NotFound                no such session, turn, attachment, provider
    ├── LimitReached
    ├── Conflict                a turn already runs on that conversation
    ├── PayloadTooLarge
    │   └── RequestRefused      what would be asked of a model does not fit into its window
    ├── StoreFailed             disk full, read-only, newer than this host
    │   └── StoreDamaged        SQLite cannot make sense of the file; a backup can take its place
    ├── StoreBusy               locked past the time-out
    ├── QuotaExceeded           a storage area would outgrow the quota that its caller obeys
    ├── ProviderFailed          the model's server refused, broke off or could not be reached
    ├── Cancelled
    ├── SettingsInvalid         settings.toml names something it may not
    ├── InstallFailed           a browser's folder or key could not be written; what was done before is undone
    ├── Unreadable              a file to be imported, or a conversation in it, that makes no sense
    │   └── UnknownFormat       it is sound, and no export that we know
    └── ModelUnavailable        the offline model is not installed, or not to be had on this platform

Foreign exceptions are translated into these at the edge that meets them (`raise … from exc`). They become wire errors in one
place, `rpc/dispatcher.py`, by the `code` and `kind` that stand here. Codes are append-only (docs/protocol.md, Errors).
A message says what happened, to what, and what to do; it never holds a conversation's text or a key.
"""

import errno
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

# A line of a file, None where the whole file is meant, and what is wrong there.
Problem: TypeAlias = tuple[int | None, str]


def remedy(error: OSError, otherwise: str) -> str:
    """What to do about an error of the disk, as a sentence; `otherwise` where it is neither full nor broken."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Make room on the disk and try again."
    return "Check the disk." if error.errno == errno.EIO else otherwise


class SidekeepError(Exception):
    """Base of the tree. `data` goes to the wire as `error.data`, with `kind` added."""

    code: ClassVar[int] = -32603
    kind: ClassVar[str] = "internal"

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = {key: value for key, value in data.items() if value is not None}


class ParseError(SidekeepError):
    code = -32700
    kind = "parse_error"


class InvalidRequest(SidekeepError):
    code = -32600
    kind = "invalid_request"


class MethodNotFound(SidekeepError):
    code = -32601
    kind = "method_not_found"


class InvalidParams(SidekeepError):
    """Wrong parameters; `data.errors` is [{loc, msg}], loc a dotted path below `params`."""

    code = -32602
    kind = "invalid_params"

    @classmethod
    def at(cls, loc: str, msg: str) -> "InvalidParams":
        return cls(f"{loc}: {msg}", errors=[{"loc": loc, "msg": msg}])


class ProtocolMismatch(SidekeepError):
    code = -32001
    kind = "protocol_mismatch"


class ForbiddenOrigin(SidekeepError):
    code = -32002
    kind = "forbidden_origin"


class NotFound(SidekeepError):
    code = -32003
    kind = "not_found"


class LimitReached(SidekeepError):
    code = -32004
    kind = "limit_reached"


class Conflict(SidekeepError):
    code = -32005
    kind = "conflict"


class PayloadTooLarge(SidekeepError):
    code = -32006
    kind = "payload_too_large"


class RequestRefused(PayloadTooLarge):
    """Nothing was sent. `reason`: no_budget, nothing_to_send, fixed_part_too_large, does_not_fit; `part` is too large."""

    def __init__(self, message: str, *, reason: str, part: str | None = None) -> None:
        super().__init__(message, reason=reason, part=part)
        self.reason = reason


class StoreFailed(SidekeepError):
    code = -32007
    kind = "storage_failed"


class StoreDamaged(StoreFailed):
    """What is in the file is no sound database."""


class QuotaExceeded(SidekeepError):
    code = -32008
    kind = "quota_exceeded"


class ProviderFailed(SidekeepError):
    """A model's server refused, broke off, or could not be reached.

    `verdict` is one of `Verdict.kind` (overflow, …, other) or unreachable, bad_response, server (docs/protocol.md, Errors).
    `body` is the provider's whole answer, for the overflow classifier; it stays in the host. `delivered` says how it came:
    "http-error", "stream-error" (also a stream that broke off), "in-200", "stop-reason" or "none". `stop_reason` is the server's
    word for the last but one. `retry_after_s` is how long it asks to wait, in seconds. `cut_off`: the connection broke in the
    middle of an answer.
    """

    code = -32010
    kind = "provider_failed"

    def __init__(
        self,
        message: str,
        *,
        verdict: str,
        status: int | None = None,
        provider_message: str = "",
        body: bytes = b"",
        delivered: str = "none",
    ) -> None:
        super().__init__(message, verdict=verdict, status=status, provider_message=provider_message)
        self.verdict = verdict
        self.status = status
        self.provider_message = provider_message
        self.body = body
        self.delivered = delivered
        self.stop_reason = ""
        self.retry_after_s: float | None = None
        self.cut_off = False

    def judge(self, verdict: str, message: str | None = None, **numbers: int | None) -> None:
        """Put a better verdict in the place of the first one, a sentence that goes with it, and the numbers it states."""
        self.verdict = verdict
        self.data |= {"verdict": verdict, **{name: number for name, number in numbers.items() if number is not None}}
        if message is not None:
            self.message = message
            self.args = (message,)


class Cancelled(SidekeepError):
    code = -32011
    kind = "cancelled"


class StoreBusy(SidekeepError):
    code = -32012
    kind = "busy"


class SettingsInvalid(SidekeepError):
    """settings.toml holds something that is not allowed there.

    `problems` are all that is wrong, each a sentence that names the key and never its value. The message has the first.
    """

    def __init__(self, file: str, problems: Sequence[Problem]) -> None:
        line, text = problems[0]
        where = file if line is None else f"{file}, line {line}"
        more = f" {len(problems) - 1} more of its values are wrong." if len(problems) > 1 else ""
        super().__init__(f"{where}: {text}{more}", line=line)
        self.problems = problems


class InstallFailed(SidekeepError):
    """A registration could not be made, changed or taken away."""


class Unreadable(SidekeepError):
    """A file to be imported, or one conversation in it, cannot be understood. The message is the reason, without the place."""

    code = -32602
    kind = "invalid_params"


class UnknownFormat(Unreadable):
    """A file that no program writes whose exports we read."""


class ModelUnavailable(ProviderFailed):
    """The offline model cannot run here; the message says what to do instead."""

    def __init__(self, message: str) -> None:
        super().__init__(message, verdict="unreachable")
