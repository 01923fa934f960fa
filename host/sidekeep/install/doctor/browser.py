"""One browser's way to the host, up to the start of the program: policies, places, manifest, program."""

import shlex
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from sidekeep import program as this_program
from sidekeep.errors import InstallFailed
from sidekeep.install import manifest, plan
from sidekeep.install.browsers import HOST_NAME, Browser
from sidekeep.install.doctor import executable, lint, policy
from sidekeep.install.doctor.finding import Finding, warning
from sidekeep.install.doctor.lookup import Lookup, lookups, profile_lookup
from sidekeep.install.machine import Machine
from sidekeep.install.places import Wish
from sidekeep.install.plan import Plan, SetMode
from sidekeep.install.sandbox import Program


@dataclass(frozen=True, slots=True)
class Way:
    """Where a browser's way led. `program`: what it would start, None where it does not get there."""

    subject: str
    findings: tuple[Finding, ...]
    program: Path | None = None
    registered: bool = True


@dataclass(frozen=True, slots=True)
class Patient:
    """Whose way is followed (a browser, or what --user-data-dir names), for which extension, and what --fix registers."""

    machine: Machine
    browser: Browser | None
    user_data_dir: PurePath | None
    extension_id: str
    program: Program | None
    extra: Sequence[str] = ()

    @property
    def subject(self) -> str:
        return self.browser.title if self.browser else str(self.user_data_dir)

    @property
    def policies(self) -> dict[str, object]:
        return policy.policies(self.machine.platform, self.browser) if self.browser else {}

    def lookups(self) -> list[Lookup]:
        """All places, in the browser's order."""
        if self.browser is None:
            assert self.user_data_dir is not None
            return [profile_lookup(self.user_data_dir)]
        return list(lookups(self.machine, self.browser, self.user_data_dir))

    @property
    def command(self) -> str:
        """What a person runs to register the host where this browser looks."""
        browser = f" --browser {self.browser.name}" if self.browser else ""
        folder = f" --user-data-dir {shlex.quote(str(self.user_data_dir))}" if self.user_data_dir else ""
        return f"sidekeep install{browser}{folder}"

    def registration(self, *, system: bool = False) -> Plan | None:
        """What registers this installation anew; None where there is none that could be."""
        if self.program is None:
            return None
        names = (self.browser.name,) if self.browser else ()
        folder = None if system else self.user_data_dir
        try:
            made = plan.install(self.machine, Wish(names, folder, system), self.program, self.extra)
        except InstallFailed:
            return None
        return made if made.steps else None


def follow(patient: Patient) -> Way:
    """Go a browser's way, up to the first thing that stops it."""
    policies = patient.policies
    if policy.blocks(policies):
        return _stopped(
            patient, "policy_blocks", f"{policy.BLOCKED}, a policy of this computer's administrator, forbids"
        )
    user_level = not policy.forbids_user_level(policies)
    places = [lookup for lookup in patient.lookups() if lookup.system or user_level]
    found = [(lookup, file) for lookup in places if (file := lookup.manifest(patient.machine)) is not None]
    if not found:
        return _missing(patient, places, user_level=user_level)
    return _read(patient, found)


def _stopped(patient: Patient, cause: str, why: str) -> Way:
    message = f"{why} {patient.subject} to start Sidekeep's host: ask the administrator to allow {HOST_NAME}."
    return Way(patient.subject, (Finding(patient.subject, cause, message),))


def _missing(patient: Patient, places: list[Lookup], *, user_level: bool) -> Way:
    if not user_level:
        ignored = [lookup for lookup in patient.lookups() if not lookup.system]
        there = any(lookup.manifest(patient.machine) for lookup in ignored)
        message = (
            f"{policy.USER_LEVEL} is false, a policy of this computer's administrator: {patient.subject} passes over what is"
            f" registered for one user{', as Sidekeep is' if there else ''}; run `sidekeep install --system`."
        )
        finding = Finding(patient.subject, "policy_user_level", message, repair=patient.registration(system=True))
        return Way(patient.subject, (finding,), registered=there)
    looked = ", ".join(map(str, places))
    message = f"{patient.subject} is not told of Sidekeep (looked at {looked}): run `{patient.command}`."
    finding = Finding(patient.subject, "manifest_missing", message, repair=patient.registration())
    return Way(patient.subject, (finding,), registered=False)


def _read(patient: Patient, found: list[tuple[Lookup, PurePath]]) -> Way:
    (lookup, file), *later = found
    shadowed = [other for _, other in later if other != file]
    repair = patient.registration(system=lookup.system)
    try:
        data = patient.machine.read(file)
    except InstallFailed as exc:
        return Way(patient.subject, (Finding(patient.subject, "manifest_unreadable", exc.message, repair=repair),))
    if data is None:
        message = f"{lookup} names {file}, which is not there: run `{patient.command}`."
        return Way(patient.subject, (Finding(patient.subject, "manifest_missing", message, repair=repair),))
    wrong = lint.problem(data, patient.machine.platform, patient.extension_id)
    if wrong is not None:
        hides = f" (it hides {', '.join(map(str, shadowed))})" if shadowed else ""
        message = f"{file} {wrong.what}{hides}: {_advice(repair)}."
        return Way(patient.subject, (Finding(patient.subject, wrong.cause, message, repair=repair),))
    members = manifest.parsed(data) or {}
    return _check_program(patient, lookup, Path(file.parent / str(members["path"])), shadowed)


def _check_program(patient: Patient, lookup: Lookup, program: Path, shadowed: Sequence[PurePath]) -> Way:
    findings = [*_shadows(patient, lookup, program, shadowed), *_other_program(patient, program)]
    wrong = executable.problem(program)
    if wrong is None:
        return Way(patient.subject, tuple(findings), program)
    repair = patient.registration(system=lookup.system)
    if wrong.cause == "program_not_executable":
        repair = Plan((SetMode(program, stat.S_IMODE(program.stat().st_mode) | 0o111),))
    message = f"{program}, which {patient.subject} would start, {wrong.what}: {_advice(repair)}."
    return Way(patient.subject, (*findings, Finding(patient.subject, wrong.cause, message, repair=repair)))


def _shadows(patient: Patient, lookup: Lookup, program: Path, shadowed: Sequence[PurePath]) -> Iterator[Finding]:
    """A second registration that is never read matters where it names another program."""
    for file in shadowed:
        other = program_of(patient.machine, file)
        if other and other != str(program):
            message = f"{patient.subject} reads {lookup} first, so {file}, which names another program ({other}), never counts."
            yield warning(patient.subject, "manifest_shadowed", message)


def _other_program(patient: Patient, program: Path) -> Iterator[Finding]:
    mine = patient.program
    if mine is None or (patient.browser is not None and patient.browser.sandbox):
        return
    if program.exists() and program.resolve() != Path(mine.path).resolve():
        message = f"{patient.subject} starts {program} and not this installation's {mine.path}: to change it, `sidekeep install`."
        yield warning(patient.subject, "other_program", message)


def program_of(machine: Machine, file: PurePath) -> str:
    """The program that a manifest names; "" where it cannot be told."""
    try:
        members = manifest.parsed(machine.read(file) or b"") or {}
    except InstallFailed:
        return ""
    return str(members.get("path", ""))


def _advice(repair: Plan | None) -> str:
    return "run `sidekeep doctor --fix`" if repair else f"install Sidekeep anew (`{this_program.update_command()}`)"
