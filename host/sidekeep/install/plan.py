"""What `install` and `uninstall` would do, worked out before anything is touched: pure but for looking at what is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TypeAlias

from sidekeep.install import manifest, sandbox
from sidekeep.install.browsers import Browser, all_browsers
from sidekeep.install.machine import Machine, RegistryKey
from sidekeep.install.places import Target, Wish, chosen, is_there, targets
from sidekeep.install.sandbox import Program

KEPT = ".before-sidekeep"


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Put a file there, in the old one's place. `keep`: the old one is somebody else's and stays beside it; `public`: for every
    user of the machine; `runnable`: a program."""

    path: PurePath
    content: bytes
    who: str
    replaces: bool = False
    keep: bool = False
    public: bool = False
    runnable: bool = False


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Take a file of ours away, put back what it took the place of, and remove the `folders` above it that were made for it."""

    path: PurePath
    who: str
    folders: int = 0
    restores: PurePath | None = None


@dataclass(frozen=True, slots=True)
class SetMode:
    """Give a file or folder these permissions."""

    path: PurePath
    mode: int


@dataclass(frozen=True, slots=True)
class SetKey:
    """Let a registry key name the manifest."""

    key: RegistryKey
    value: str
    old: str | None


@dataclass(frozen=True, slots=True)
class DeleteKey:
    """Take a registry key away that names a manifest of ours."""

    key: RegistryKey
    old: str


@dataclass(frozen=True, slots=True)
class CopyTree:
    """Put a copy of the program's folder into a sandbox."""

    source: PurePath
    target: PurePath


@dataclass(frozen=True, slots=True)
class RemoveTree:
    """Take such a copy away."""

    path: PurePath


Step: TypeAlias = WriteFile | RemoveFile | SetMode | SetKey | DeleteKey | CopyTree | RemoveTree


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; files that are as they should be; browsers that are not there; and what a person should know."""

    steps: tuple[Step, ...] = ()
    unchanged: tuple[PurePath, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[PurePath]:
        """The files and folders that are changed."""
        return frozenset(step.path for step in self.steps if isinstance(step, WriteFile | RemoveFile | SetMode))


@dataclass(slots=True)
class _Draft:
    machine: Machine
    steps: list[Step] = field(default_factory=list)
    unchanged: list[PurePath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def write(self, step: WriteFile) -> None:
        """Add a file, unless it is there as it should be."""
        old = self.machine.read(step.path)
        if old == step.content:
            self.unchanged.append(step.path)
        else:
            self.steps.append(replace(step, replaces=old is not None))

    def done(self, left_out: Sequence[Browser] = ()) -> Plan:
        titles = tuple(browser.title for browser in left_out)
        return Plan(tuple(self.steps), tuple(self.unchanged), titles, tuple(self.notes))


def install(machine: Machine, wish: Wish, program: Program, extra: Sequence[str] = ()) -> Plan:
    """Let the browsers that are meant find `program`, and the extensions `extra` start it too. Raises InstallFailed."""
    browsers, left_out = chosen(machine, wish)
    draft = _Draft(machine)
    for target in targets(machine, browsers, wish):
        start = program.path if target.tree is None else _into_sandbox(draft, target, target.tree, program)
        if start is not None:
            _register(draft, target, start, extra)
    if wish.user_data_dir is not None and machine.platform == "windows":
        draft.notes.append("On Windows browsers read the registry, whatever --user-data-dir names.")
    return draft.done(left_out)


def with_file(machine: Machine, plan: Plan, step: WriteFile) -> Plan:
    """A plan that also has a file as it should be; one that is neither there nor to hold anything is left alone."""
    old = machine.read(step.path)
    if (old or b"") == step.content:
        return plan
    return replace(plan, steps=(*plan.steps, replace(step, replaces=old is not None)))


def uninstall(machine: Machine, wish: Wish) -> Plan:
    """Take away what `install` wrote for the browsers that are named, or for all; nothing else. Raises InstallFailed."""
    browsers = chosen(machine, wish)[0] if wish.browsers else _every(machine, wish)
    draft = _Draft(machine)
    for target in targets(machine, browsers, wish):
        data = machine.read(target.manifest)
        keys = [key for key in target.keys if machine.value(key) == str(target.manifest)]
        draft.steps += [DeleteKey(key, str(target.manifest)) for key in keys]
        if data is None or _is_named_elsewhere(machine, target, keys):
            continue
        mine = manifest.mark(data)
        if mine is None:
            draft.notes.append(f"{target.manifest} was not written by this command, so it stays.")
            continue
        kept = target.manifest.with_name(target.manifest.name + KEPT)
        restores = kept if machine.exists(kept) else None
        draft.steps.append(RemoveFile(target.manifest, target.title, mine.folders, restores))
        draft.notes += _sharing(machine, target, browsers)
        if target.tree is not None:
            draft.steps += _out_of_sandbox(machine, target, target.tree)
    return draft.done()


def _register(draft: _Draft, target: Target, start: PurePath, extra: Sequence[str]) -> None:
    old = draft.machine.read(target.manifest)
    mine = manifest.mark(old)
    folders = mine.folders if mine else missing_folders(draft.machine, target.manifest)
    content = manifest.render(start, extra, folders=folders)
    keep = old is not None and mine is None
    draft.write(WriteFile(target.manifest, content, target.title, keep=keep, public=target.system))
    for key in target.keys:
        value = draft.machine.value(key)
        if value != str(target.manifest):
            draft.steps.append(SetKey(key, str(target.manifest), value))


def missing_folders(machine: Machine, file: PurePath) -> int:
    """How many folders have to be made for a file."""
    return sum(not machine.exists(folder) for folder in file.parents)


def _into_sandbox(draft: _Draft, target: Target, tree: PurePath, program: Program) -> PurePath | None:
    """Copy the program to where the browser can reach it. Returns what it is to start; None where there is nothing to copy."""
    if program.folder is None:
        draft.notes.append(sandbox.needs_folder(target.title))
        return None
    start = tree / sandbox.START
    draft.steps.append(CopyTree(program.folder, tree / sandbox.COPY))
    draft.write(WriteFile(start, sandbox.script(tree, program), target.title, runnable=True))
    draft.notes.append(sandbox.explanation(target.title, tree))
    return start


def _out_of_sandbox(machine: Machine, target: Target, tree: PurePath) -> Iterator[Step]:
    """The copy goes; the chats in the store beside it stay."""
    if machine.exists(tree / sandbox.COPY):
        yield RemoveTree(tree / sandbox.COPY)
    if machine.exists(tree / sandbox.START):
        yield RemoveFile(tree / sandbox.START, target.title, folders=1)


def _sharing(machine: Machine, target: Target, browsers: Sequence[Browser]) -> Iterator[str]:
    """A browser that was not named may read the very file that goes."""
    others = [browser for browser in _every(machine, Wish(system=target.system)) if browser not in browsers]
    there = [browser for browser in others if is_there(machine, browser)]
    for other in targets(machine, there, Wish(system=target.system)):
        if other.manifest == target.manifest and not target.keys:
            yield f"{other.title} reads {target.manifest} too, and no longer finds the host."


def _every(machine: Machine, wish: Wish) -> list[Browser]:
    if wish.user_data_dir is not None and machine.platform != "windows":
        return []
    known = [browser for browser in all_browsers() if browser.place(machine.platform)]
    return [browser for browser in known if not (wish.system and browser.sandbox)]


def _is_named_elsewhere(machine: Machine, target: Target, leaving: Sequence[RegistryKey]) -> bool:
    """Whether a key that stays names the manifest too."""
    if not target.keys:
        return False
    everyone = targets(machine, _every(machine, Wish(system=target.system)), Wish(system=target.system))
    keys = {key for other in everyone for key in other.keys} - set(leaving)
    return any(machine.value(key) == str(target.manifest) for key in keys)
