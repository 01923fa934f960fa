"""The whole examination, in the browser's order, and its repairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS
from sidekeep.errors import InstallFailed
from sidekeep.install.apply import carry_out
from sidekeep.install.browsers import Browser
from sidekeep.install.doctor import health, launch
from sidekeep.install.doctor.browser import Patient, Way, follow
from sidekeep.install.doctor.finding import Finding, fine
from sidekeep.install.machine import Machine
from sidekeep.install.places import Wish, chosen
from sidekeep.install.sandbox import Program


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be examined: whose way is followed (`wish`) and for whom; `program` and `extra` are for repairs."""

    machine: Machine
    wish: Wish
    program: Program | None = None
    extra: Sequence[str] = ()
    extension_id: str = min(BUILT_IN_EXTENSION_IDS)

    def patients(self) -> list[Patient]:
        """The directory that was named, else the browsers that were, else all that are there."""
        folder = self.wish.user_data_dir
        if folder is not None and not self.wish.browsers and self.machine.platform != "windows":
            return [self._patient(None, folder)]
        return [
            self._patient(browser, folder)
            for browser in chosen(self.machine, replace(self.wish, user_data_dir=None))[0]
        ]

    def _patient(self, browser: Browser | None, folder: PurePath | None) -> Patient:
        return Patient(self.machine, browser, folder, self.extension_id, self.program, self.extra)


def examine(case: Case) -> list[Finding]:
    """Everything, in order: each browser's way, the programs that these end at, what the host lives on."""
    ways = [follow(patient) for patient in case.patients()]
    findings = list(_of_ways(ways, named=bool(case.wish.browsers or case.wish.user_data_dir)))
    for program in dict.fromkeys(way.program for way in ways if way.program is not None):
        findings += launch.examine(program, case.extension_id)
    return [*findings, *health.examine(Path(case.machine.data_home))]


def _of_ways(ways: list[Way], *, named: bool) -> Iterator[Finding]:
    if not ways:
        yield Finding(
            "Browsers",
            "no_browser",
            "No browser was found here: name one with --browser, or its folder with --user-data-dir.",
        )
    some = any(way.registered for way in ways)
    for way in ways:
        for finding in way.findings:
            # A person uses some of the browsers that are there; one without Sidekeep may be meant to be without.
            if not named and some and not way.registered and finding.severity == "error":
                yield replace(finding, severity="warning", repair=None)
            else:
                yield finding
        if way.program is not None and not any(finding.severity == "error" for finding in way.findings):
            yield fine(way.subject, f"It starts {way.program}.")


def repair(findings: Sequence[Finding]) -> list[tuple[Finding, str]]:
    """Carry out every repair that a finding offers. Returns each with "" or the reason for which it could not be done."""
    done: list[tuple[Finding, str]] = []
    touched: set[PurePath] = set()
    for finding in findings:
        if finding.repair is None or finding.severity == "ok" or touched & finding.repair.paths:
            continue
        touched |= finding.repair.paths  # a plan knows nothing of what another one, made at the same time, has changed
        try:
            carry_out(finding.repair)
        except InstallFailed as exc:
            done.append((finding, exc.message))
        else:
            done.append((finding, ""))
    return done
