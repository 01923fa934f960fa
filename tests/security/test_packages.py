"""What the packages run as root."""

import re
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "packaging" / "linux"


@pytest.mark.parametrize("script", ["postinst", "prerm"])
def test_the_debs_scripts_take_nothing_of_the_callers_environment(script: str) -> None:
    text = (SCRIPTS / script).read_text("utf-8")
    started = [line.strip() for line in text.splitlines() if re.search(r"/usr/bin/sidekeep (un)?install", line)]
    assert started
    assert all(line.startswith('env -i PATH="$PATH" HOME=/root ') for line in started)
    assert set(re.findall(r"\$\{?(\w+)", text)) <= {"1", "PATH", "folder"}
