"""The recorded answers of a browser's storage, replayed in Node by their own program against the area and a real host."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CASES = SHARED / "cases" / "storage.json"
REPLAY = ["node", str(SHARED / "tools" / "storage_cases.mjs"), "--impl", "tests/extension/storage-impl.mjs"]
AT_ONCE = 4  # the cases mostly wait for their own fences
WAIT_S = 240

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the recordings are not beside this checkout")


def test_with_a_quota_no_case_differs() -> None:
    cases = json.loads(CASES.read_text("utf-8"))["cases"]
    prefixes = sorted({str(case["id"])[:2] for case in cases})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outputs = list(pool.map(_replay, prefixes))
    assert sum(_agreeing(output) for output in outputs) > len(cases) * 0.95, "most cases are not about other areas"


def test_without_a_quota_no_case_about_it_differs() -> None:
    assert _agreeing(_replay("quota.", "--unlimited")) > 0


def _replay(prefix: str, *options: str) -> str:
    """What the program printed about the cases with that prefix; it fails where one differs."""
    answer = subprocess.run(
        [*REPLAY, prefix, *options],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout
    return answer.stdout


def _agreeing(output: str) -> int:
    return int(output.splitlines()[-1].split(" agree", 1)[0])
