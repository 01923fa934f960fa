"""Carrying out a plan: each file whole or not at all; where a step fails, those before it are undone."""

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import singledispatch
from pathlib import Path, PurePath

from sidekeep.errors import InstallFailed
from sidekeep.install import registry
from sidekeep.install.plan import (
    KEPT,
    CopyTree,
    DeleteKey,
    Plan,
    RemoveFile,
    RemoveTree,
    SetKey,
    SetMode,
    Step,
    WriteFile,
)

ASIDE = f".{os.getpid()}.old"
FRESH = f".{os.getpid()}.new"


def carry_out(plan: Plan) -> None:
    """Do all steps or, where one cannot be done, none. Raises InstallFailed, which says what was in the way."""
    with ExitStack() as undo:
        finish: list[Callable[[], object]] = []
        for step in plan.steps:
            try:
                finish += do(step, undo)
            except OSError as exc:
                raise InstallFailed(_explain(step, exc)) from exc
        undo.pop_all()
    for last in finish:  # all is done: what was set aside for an undo goes
        with contextlib.suppress(OSError):
            last()


@singledispatch
def do(step: Step, undo: ExitStack) -> list[Callable[[], object]]:
    """Do one step: note in `undo` what takes it back, and return what is left to do once all steps are done. Raises OSError."""
    raise NotImplementedError(step)


@do.register
def _(step: WriteFile, undo: ExitStack) -> list[Callable[[], object]]:
    path = Path(step.path)
    _make_folders(path.parent, undo, mode=0o755 if step.public else 0o700)
    fresh = path.with_name(path.name + FRESH)
    with _discarded(fresh):
        fresh.write_bytes(step.content)
        fresh.chmod(0o755 if step.runnable else 0o644)  # whatever the umask: the browser's user has to read it
        aside = _second_name(path)
        undo.callback(path.unlink, missing_ok=True) if aside is None else undo.callback(aside.replace, path)
        fresh.replace(path)
    if aside is None:
        return []
    kept = path.with_name(path.name + KEPT)
    return [lambda: aside.replace(kept)] if step.keep else [aside.unlink]


@do.register
def _(step: RemoveFile, undo: ExitStack) -> list[Callable[[], object]]:
    path = Path(step.path)
    aside = _set_aside(path, undo)
    if step.restores is not None:
        kept = Path(step.restores)
        kept.replace(path)
        undo.callback(path.replace, kept)
    return [aside.unlink, lambda: _remove_folders(path, step.folders)]


@do.register
def _(step: SetMode, undo: ExitStack) -> list[Callable[[], object]]:
    path = Path(step.path)
    before = stat.S_IMODE(path.stat().st_mode)
    path.chmod(step.mode)
    undo.callback(path.chmod, before)
    return []


@do.register
def _(step: SetKey, undo: ExitStack) -> list[Callable[[], object]]:
    registry.write(step.key, step.value)
    undo.callback(registry.write, step.key, step.old) if step.old else undo.callback(registry.delete, step.key)
    return []


@do.register
def _(step: DeleteKey, undo: ExitStack) -> list[Callable[[], object]]:
    registry.delete(step.key)
    undo.callback(registry.write, step.key, step.old)
    return []


@do.register
def _(step: CopyTree, undo: ExitStack) -> list[Callable[[], object]]:
    target = Path(step.target)
    _make_folders(target.parent, undo, mode=0o700)
    fresh = target.with_name(target.name + FRESH)
    undo.callback(shutil.rmtree, fresh, ignore_errors=True)
    shutil.copytree(step.source, fresh, symlinks=True, copy_function=_link_or_copy)
    aside = _set_aside(target, undo) if target.exists() else None
    fresh.replace(target)
    undo.callback(shutil.rmtree, target, ignore_errors=True)
    return [lambda: shutil.rmtree(aside)] if aside is not None else []


@do.register
def _(step: RemoveTree, undo: ExitStack) -> list[Callable[[], object]]:
    aside = _set_aside(Path(step.path), undo)
    return [lambda: shutil.rmtree(aside)]


def _set_aside(path: Path, undo: ExitStack) -> Path:
    """Move a file or folder out of the way, to its second name until all steps are done."""
    aside = path.with_name(path.name + ASIDE)
    path.replace(aside)
    undo.callback(aside.replace, path)
    return aside


def _make_folders(folder: Path, undo: ExitStack, *, mode: int) -> None:
    for missing in reversed([parent for parent in (folder, *folder.parents) if not parent.exists()]):
        missing.mkdir()
        undo.callback(missing.rmdir)
        missing.chmod(mode)


def _remove_folders(path: Path, count: int) -> None:
    """Remove the folders that were made for a file, up to the first that holds something else."""
    for folder in list(path.parents)[:count]:
        folder.rmdir()


def _second_name(path: Path) -> Path | None:
    """A second name for what is there, link or file, so that an undo gives back the very same; None where nothing is."""
    if not os.path.lexists(path):
        return None
    aside = path.with_name(path.name + ASIDE)
    aside.unlink(missing_ok=True)
    try:
        os.link(path, aside, follow_symlinks=False)
    except OSError:  # a file system without links
        shutil.copy2(path, aside, follow_symlinks=False)
    return aside


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or one without links
        shutil.copy2(source, target, follow_symlinks=False)


@contextmanager
def _discarded(fresh: Path) -> Iterator[None]:
    """Leave no half of a file behind."""
    try:
        yield
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _explain(step: Step, exc: OSError) -> str:
    what: PurePath | str = step.key.path if isinstance(step, SetKey | DeleteKey) else _path(step)
    return f"{what} could not be changed: {exc.strerror or exc}. Everything is as it was before."


def _path(step: WriteFile | RemoveFile | SetMode | CopyTree | RemoveTree) -> PurePath:
    return step.target if isinstance(step, CopyTree) else step.path
