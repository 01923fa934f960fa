"""What the host pays for naming this room before anything is sent."""

import subprocess
import sys

import pytest

HEAVY = {"httpx", "httpcore", "anyio", "truststore", "rich", "xllamacpp", "pydantic"}


@pytest.mark.parametrize(
    ("module", "also"),
    [
        ("sidekeep.llm.types", {"asyncio", "ssl"}),
        ("sidekeep.llm.sse", {"asyncio", "ssl"}),
        ("sidekeep.llm.answer_stream", {"asyncio", "ssl"}),
        ("sidekeep.llm.api.table", {"asyncio", "ssl"}),
        ("sidekeep.llm.client", set()),
        ("sidekeep.llm.offline", set()),
        ("sidekeep.llm.scripted", set()),
        ("sidekeep.cli", {"asyncio", "ssl"}),
        ("sidekeep.cli.model", {"asyncio", "ssl"}),
    ],
)
def test_importing_it_loads_nothing_heavy(module: str, also: set[str]) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not (HEAVY | also) & set(loaded)
