"""A real browser with the real extension and the real host, on a profile and a data home of the test's own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.browser import model_server
from tests.browser.model_server import ModelServer

from tasks import browsers, manifest, pages, vendor, weights
from tasks.browser import Browser
from tasks.panel import Panel
from tasks.places import ARTICLE, EXTENSION, HOST_PROGRAM


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Person:
    """Somebody at a computer: starts browsers on one data home, opens pages and the panel beside them."""

    def __init__(self, home: Path, profiles: Path, stack: ExitStack) -> None:
        self.home = home
        self._profiles = profiles
        self._stack = stack
        self._program = browsers.find(None)

    def start(self, profile: str = "profile", *, with_manifest: bool = True) -> Browser:
        """Start a browser on a profile of that name; it is ended after the test, if not before."""
        folder = self._profiles / profile
        environment = {"SIDEKEEP_HOME": str(self.home)}
        browser = Browser(self._program, EXTENSION, headless=True, profile=folder, environment=environment)
        self._stack.callback(browser.close)
        if with_manifest:
            manifest.install(folder)
        browser.start()
        return browser

    def open(self, url: str, *, browser: Browser | None = None) -> Panel:
        """Open a page and the panel beside it, ready to be used."""
        browser = browser or self.start()
        panel = Panel(browser.open_panel(browser.open(url)))
        panel.wait_ready()
        return panel

    def sidekeep(self, *arguments: str) -> None:
        """Run a command of the host's program on this data home; it must succeed."""
        environment = {**os.environ, "SIDEKEEP_HOME": str(self.home)}
        answer = subprocess.run(
            [HOST_PROGRAM, *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stderr

    def host_pids(self) -> list[int]:
        """The hosts that run on this data home."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
                environment = (folder / "environ").read_bytes().split(b"\0")
            except OSError:  # it ended meanwhile
                continue
            is_host = any(argument.startswith(b"chrome-extension://") for argument in arguments[1:3])
            if is_host and f"SIDEKEEP_HOME={self.home}".encode() in environment:
                found.append(int(folder.name))
        return found


@pytest.fixture(scope="session", autouse=True)
def vendored() -> None:
    """The third-party modules are part of the extension."""
    vendor.ensure()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data home."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def home_with_model(home: Path) -> Path:
    """The same home with the offline model's weights in it."""
    weights.share_with(home)
    assert weights.is_there(home), "run `python3 build.py setup`: it fetches the weights"
    return home


@pytest.fixture
def person(home: Path, tmp_path: Path) -> Iterator[Person]:
    """Somebody with an empty data home."""
    with ExitStack() as stack:
        yield Person(home, tmp_path / "profiles", stack)


@pytest.fixture
def article() -> Iterator[str]:
    """The address of the short article."""
    with pages.served(str(ARTICLE)) as url:
        yield url


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A well-behaved model server; it answers at once until told otherwise."""
    with model_server.running() as server:
        yield server


def choose(panel: Panel, model: ModelServer, **fields: object) -> None:
    """Make that server the panel's model, as its settings do; `fields` replace the provider's."""
    provider = {**model.provider(), **fields}
    items = {"providers": {"test": provider}, "activeProvider": "test", "activeModel": provider["model"]}
    panel.request("storage.set", items=items)


def shot(panel: Panel, name: str) -> None:
    """Keep a picture of the panel if SIDEKEEP_SHOTS names a folder: to look at what a test saw."""
    if folder := os.environ.get("SIDEKEEP_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        panel.page.screenshot(Path(folder) / f"{name}.png")
