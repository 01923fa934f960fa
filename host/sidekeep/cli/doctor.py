"""`sidekeep doctor`: what is the first thing that is wrong between the browser and the host, in one sentence."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sidekeep import paths
from sidekeep.cli import plans
from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS
from sidekeep.errors import InstallFailed, SidekeepError
from sidekeep.install import installation
from sidekeep.install.doctor import examination, report
from sidekeep.install.doctor.examination import Case
from sidekeep.install.doctor.finding import Finding, first_wrong
from sidekeep.install.machine import ThisMachine
from sidekeep.install.sandbox import Program
from sidekeep.settings import edit

SCHEMA = 1
SIGNS = {"ok": "  ok     ", "warning": "  note   ", "error": "  WRONG  "}
# A repair may lay open what lay behind it.
MOST_ROUNDS = 3

Repaired = list[tuple[Finding, str]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add whose way is followed, what to do about it, and the report."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    written = actions.add_parser(
        "report", help="write what was found and the log, without chats, keys and names, into a zip"
    )
    written.add_argument("file", metavar="FILE", nargs="?", type=Path, help="default: sidekeep-report-TIME.zip, here")
    plans.configure_browsers(parser)
    parser.add_argument("--extension", metavar="ID", default=min(BUILT_IN_EXTENSION_IDS), help="for another extension")
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where all is well, or nothing is worse than a note; 1 where something is wrong."""
    case = Case(ThisMachine(), plans.wish(arguments), _program(), _extra(), arguments.extension)
    findings = examination.examine(case)
    if arguments.action == "report":
        return _report(findings, arguments.file)
    repaired: Repaired = []
    for _ in range(MOST_ROUNDS if arguments.fix else 0):
        done = examination.repair(findings)
        repaired += done
        if all(failed for _, failed in done):
            break
        findings = examination.examine(case)
    wrong = first_wrong(findings)
    _tell_as_json(findings, repaired) if arguments.json else _tell(findings, repaired)
    return 1 if wrong is not None and wrong.severity == "error" else 0


def _program() -> Program | None:
    """This installation's program, for repairs; an installation without one can still examine."""
    try:
        return installation.this_program()
    except InstallFailed:
        return None


def _extra() -> Sequence[str]:
    try:
        return edit.allowed_extensions(paths.settings_file(paths.data_home()))
    except SidekeepError:
        return ()  # it is among the findings


def _report(findings: Sequence[Finding], file: Path | None) -> int:
    target = file or Path(time.strftime("sidekeep-report-%Y%m%d-%H%M%S.zip"))
    print(f"Written: {report.write(target.absolute(), findings, paths.data_home())}")
    return 0


def _tell(findings: Sequence[Finding], repaired: Repaired) -> None:
    for finding, failed in repaired:
        print(f"Repaired: {finding.message}" if not failed else f"Not repaired: {finding.message} {failed}")
    for finding in findings:
        print(f"{SIGNS[finding.severity]}{finding.subject}: {finding.message}")
    wrong = first_wrong(findings)
    print("Nothing is wrong." if wrong is None else wrong.message)
    if wrong is not None and wrong.severity == "error":
        print("To hand this on: sidekeep doctor report", file=sys.stderr)


def _tell_as_json(findings: Sequence[Finding], repaired: Repaired) -> None:
    wrong = first_wrong(findings)
    shown = {
        "schema": SCHEMA,
        "ok": wrong is None or wrong.severity != "error",
        "first": report.as_json(wrong) if wrong is not None else None,
        "findings": [report.as_json(finding) for finding in findings],
        "repaired": [report.as_json(finding) | {"failed": failed or None} for finding, failed in repaired],
    }
    print(json.dumps(shown))
