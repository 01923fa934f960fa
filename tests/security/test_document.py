"""docs/security.md: every claim names the test that holds it, and that test is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[^`:]+)::([^`]+)`")
CLAIMS, _, NOT_HELD = (ROOT / "docs" / "security.md").read_text("utf-8").partition("## What is not held")
BULLETS = [" ".join(bullet.split()) for bullet in re.findall(r"(?ms)^- .+?(?=^- |^#|\Z)", CLAIMS)]


@pytest.mark.parametrize("claim", BULLETS, ids=[bullet[2:50] for bullet in BULLETS])
def test_a_claim_is_held_by_tests_that_exist(claim: str) -> None:
    named = NAMED.findall(claim)
    assert named, "no test is named"
    for file, name in named:
        text = (ROOT / file).read_text("utf-8")
        there = f"def {name}(" in text if file.endswith(".py") else f'"{name}' in text
        assert there, f"{file} has no test {name}"


def test_what_is_not_held_is_said_too() -> None:
    assert len(BULLETS) > 40
    assert NOT_HELD.count("- **") >= 5
