"""build.py where something is missing: one sentence, a status that is not 0, and on again afterwards."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.build.conftest import ROOT, Build

Tools = Callable[[Sequence[str]], Path]


def sentence(answer: subprocess.CompletedProcess[str]) -> str:
    """The last line of stderr, once it is certain that it failed and told no traceback."""
    assert answer.returncode == 1, answer.stderr
    assert "Traceback" not in answer.stderr
    return answer.stderr.strip().splitlines()[-1]


def test_build_py_can_be_read_by_an_old_python() -> None:
    ast.parse((ROOT / "build.py").read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("version", [(3, 6, 9), (3, 10, 14)])
def test_an_old_python_is_told_what_is_needed(version: tuple[int, int, int]) -> None:
    pretend = f"import sys, runpy; sys.version_info = {version!r}; runpy.run_path('build.py', run_name='__main__')"
    answer = subprocess.run([sys.executable, "-c", pretend], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "needs Python 3.11 or later" in sentence(answer)


def test_a_python_without_venv_is_told_which_package_brings_it(checkout: Path, build: Build) -> None:
    # What Debian's python3 is like without python3-venv: the module is not to be found.
    hide = (
        "import importlib.util as u; find = u.find_spec\nu.find_spec = lambda n: None if n == 'ensurepip' else find(n)"
    )
    site = checkout / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(hide, encoding="utf-8")
    answer = build("setup", environment={"PYTHONPATH": str(site)})
    assert "apt install python3-venv" in sentence(answer)


@pytest.mark.usefixtures("lent_environment")
@pytest.mark.parametrize("there", [[], ["node"]], ids=["no node", "no npm"])
def test_missing_node_is_told_and_the_next_run_goes_on(build: Build, tools: Tools, there: list[str]) -> None:
    answer = build("setup", path=tools(there))
    assert "apt install nodejs npm" in sentence(answer)


@pytest.mark.usefixtures("lent_environment")
def test_an_old_node_is_told(checkout: Path, build: Build) -> None:
    folder = checkout / "old"
    folder.mkdir()
    (folder / "node").write_text("#!/bin/sh\necho v12.22.9\n", encoding="utf-8")
    (folder / "node").chmod(0o755)
    answer = build("setup", path=folder)
    assert "v12.22.9" in sentence(answer)
    assert "apt install nodejs npm" in sentence(answer)


@pytest.mark.usefixtures("lent_environment")
def test_a_missing_browser_is_told_and_json_ends_with_the_error(build: Build, tools: Tools) -> None:
    folder = tools(["node", "npm", "sh", "env"])
    answer = build("run", "--headless", "--ask", "Hm?", "--json", path=folder)
    assert "apt install chromium" in sentence(answer)
    assert "apt install chromium" in json.loads(answer.stdout.splitlines()[-1])["error"]
    assert json.loads(answer.stdout.splitlines()[-1])["ok"] is False


@pytest.mark.usefixtures("lent_environment")
@pytest.mark.parametrize("program", ["/bin/true", "/nowhere/chromium"])
def test_what_is_no_browser_is_told(build: Build, program: str) -> None:
    assert "Chrome for Testing" in sentence(build("run", "--headless", "--browser", program))


@pytest.mark.usefixtures("lent_environment")
def test_a_page_that_cannot_be_read_is_told(build: Build) -> None:
    answer = build("run", "--headless", "--page", "no/such/page.html")
    assert "no/such/page.html cannot be read: No such file or directory" in sentence(answer)


def test_no_network_is_told_and_the_next_run_goes_on(checkout: Path, build: Build) -> None:
    away = {
        "npm_config_registry": "http://127.0.0.1:9/",
        "npm_config_fetch_retries": "0",
        "npm_config_cache": str(checkout / "cache"),
    }
    vendor = checkout / "extension" / "vendor"
    assert "check the network" in sentence(build("extension", environment=away))
    assert not vendor.exists()
    answer = build("extension")
    assert answer.returncode == 0, answer.stderr
    assert (vendor / "marked.js").is_file()


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root to mount a small disk")
def test_a_full_disk_is_told(checkout: Path) -> None:
    script = 'mount -t tmpfs -o size=2m none node_modules && exec "$0" build.py extension'
    (checkout / "node_modules").mkdir()
    answer = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, sys.executable],
        cwd=checkout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if answer.stderr.startswith(("unshare:", "mount:")):
        pytest.skip("this machine lets nobody mount")
    assert "the disk is full: free some space" in sentence(answer).lower()
    assert not list((checkout / "extension").glob("vendor"))
