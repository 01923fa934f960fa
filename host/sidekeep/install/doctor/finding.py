"""What a check found: a cause by name, one sentence, and what would repair it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sidekeep.install.plan import Plan

Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`subject`: the browser or the part of Sidekeep. `cause` is for programs and never renamed; "ok" where all is well.

    `message` is one sentence: what is wrong, with what, and what to do. `repair` is what --fix does about it.
    """

    subject: str
    cause: str
    message: str
    severity: Severity = "error"
    repair: Plan | None = None


def fine(subject: str, message: str) -> Finding:
    """Something that is as it should be."""
    return Finding(subject, "ok", message, "ok")


def warning(subject: str, cause: str, message: str, repair: Plan | None = None) -> Finding:
    """Something that works and should be known."""
    return Finding(subject, cause, message, "warning", repair)


def first_wrong(findings: Sequence[Finding]) -> Finding | None:
    """The first error, else the first warning; None where all is well."""
    for severity in ("error", "warning"):
        for finding in findings:
            if finding.severity == severity:
                return finding
    return None
