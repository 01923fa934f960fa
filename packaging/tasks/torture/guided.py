"""Inputs that a fuzzer chooses by the code they reach (atheris): frames, parts, messages, and files that are imported."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tasks.places import BUILD, ROOT
from tasks.torture import atheris_folder, targets
from tasks.torture.fault import Outcome, Wish

MAX_INPUT_BYTES = 4096
HANGS_AFTER_S = 60
MAX_MEMORY_MB = 2048
# Where an input stays that went wrong.
KEPT = BUILD / "torture"


def run(wish: Wish) -> Outcome:
    """Give each target its share of `wish.size` inputs."""
    outcome = Outcome("guided", wish.seed)
    if not atheris_folder.is_there():
        outcome.skipped.append(atheris_folder.MISSING)
        return outcome
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in targets.TARGETS:
        if wish.has_time:
            _fuzz(name, wish, outcome)
    return outcome


def _fuzz(name: str, wish: Wish, outcome: Outcome) -> None:
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        for number, seed in enumerate(targets.seeds(name)):
            (Path(folder) / f"seed-{number}").write_bytes(seed)
        done = subprocess.run(
            [sys.executable, "-m", "tasks.torture.guided_child", name, *_arguments(name, wish), folder],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "packaging"), str(atheris_folder.FOLDER)))},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    figures = re.findall(r"^#(\d+)\s.*?cov: (\d+)", done.stderr, re.MULTILINE)
    inputs, reached = figures[-1] if figures else ("0", "0")
    outcome.count("inputs", int(inputs))
    outcome.counts[f"branches reached, {name}"] = int(reached)
    if done.returncode:
        outcome.find(f"{name}: {_said(done.stderr)}")


def _arguments(name: str, wish: Wish) -> list[str]:
    """libFuzzer's: the number of inputs or the time, and what counts as too slow or too large."""
    share = targets.TARGETS[name].share
    left_s = max(1, int(wish.minutes * 60 * share))
    return [
        f"-runs={round(wish.size * share)}",
        f"-max_total_time={left_s}",
        f"-seed={wish.seed % 2**32 or 1}",
        f"-max_len={MAX_INPUT_BYTES}",
        f"-timeout={HANGS_AFTER_S}",
        f"-rss_limit_mb={MAX_MEMORY_MB}",
        f"-artifact_prefix={KEPT}/{name}-",
        "-print_final_stats=1",
    ]


def _said(text: str) -> str:
    """The exception, or what libFuzzer calls it, and the file that has the input."""
    raised = re.findall(r"^(?:Exception: )?(\w[\w.]*(?:Error|Wrong|Exception|Exit).*)$", text, re.MULTILINE)
    called = re.findall(r"ERROR: libFuzzer: (.*)", text)
    kept = re.findall(r"Test unit written to (\S+)", text)
    return "; ".join([*raised[-1:], *called[:1], *(f"the input is {file}" for file in kept[-1:])]) or text[-300:]
