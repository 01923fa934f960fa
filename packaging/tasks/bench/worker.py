"""The extension's service worker in a real browser, where Sidekeep's area and chrome.storage.local stand side by side.

The extension is the checkout's with one permission more, `unlimitedStorage`: without it the browser's own area ends at 10 MB.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tasks import browsers, manifest, vendor
from tasks.bench.figures import interleaved
from tasks.browser import Browser
from tasks.page import Page
from tasks.places import EXTENSION

OURS = "sidekeep.storage.local"
THEIRS = "chrome.storage.local"
# The browser's area has no limits, and neither side may do work that the other does not.
NO_LIMITS = {"limits.chats": 0, "limits.messages": 0}
TIMED = """(async () => {
  await new Promise((rested) => setTimeout(rested, %d));
  const started = performance.now();
  for (let left = %d; left > 0; left -= 1) { %s; }
  return (performance.now() - started) / %d;
})()"""
WAIT_S = 300

Sample = Callable[[], Mapping[str, float]]


class Worker:
    """The service worker of a started browser."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._page = Page(browser.connection, browser.worker()["targetId"])

    def run(self, statements: str) -> Any:
        """Run JavaScript statements there; the value that they return."""
        return self._page.evaluate(f"(async () => {{ {statements} }})()", timeout_s=WAIT_S)

    def ms(self, statements: str, *, times: int = 1, rest_ms: int = 0) -> float:
        """The time that statements take there, in ms: the mean of `times` runs one after the other, after a rest."""
        return float(self._page.evaluate(TIMED % (rest_ms, times, statements, times), timeout_s=WAIT_S))

    def sample(self, name: str, statements: str, *, times: int = 1, rest_ms: int = 0) -> Sample:
        """A work for `interleaved`: those statements' time in ms, under that name."""
        return lambda: {name: self.ms(statements, times=times, rest_ms=rest_ms)}

    def timed(
        self, works: Mapping[str, str], runs: int, *, times: int = 1, rest_ms: int = 0
    ) -> dict[str, tuple[float, ...]]:
        """The times of several works in ms, by name; they take turns."""
        samples = {name: self.sample(name, text, times=times, rest_ms=rest_ms) for name, text in works.items()}
        return interleaved(samples, runs)

    def keep(self, name: str, value: Any) -> None:
        """Have a JSON value in the worker's global scope under that name."""
        self.run(f"self[{json.dumps(name)}] = {json.dumps(value)}")

    def set_both(self, items: Mapping[str, Any]) -> None:
        """Set the same keys in both areas."""
        self.run(f"const items = {json.dumps(items)}; await {OURS}.set(items); await {THEIRS}.set(items)")


class Place:
    """A folder with a browser's profile and a data home, on which browsers are started one after the other."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.profile = folder / "profile"
        self._extension = folder / "extension"

    @contextmanager
    def worker(self) -> Iterator[Worker]:
        """The worker of a browser that is started for the block. Raises TaskError."""
        environment = {"SIDEKEEP_HOME": str(self.home)}
        program = browsers.find(None)
        with Browser(program, self._extension, headless=True, profile=self.profile, environment=environment) as browser:
            manifest.install(self.profile)
            browser.start()
            yield Worker(browser)

    def make(self) -> None:
        """Let there be an empty data home, and an extension to load."""
        self.home.mkdir(mode=0o700)
        shutil.copytree(EXTENSION, self._extension)
        path = self._extension / "manifest.json"
        found = json.loads(path.read_text(encoding="utf-8"))
        permissions = [*found["permissions"], "unlimitedStorage"]
        path.write_text(json.dumps({**found, "permissions": permissions}), encoding="utf-8")


@contextmanager
def place(like: Path | None = None) -> Iterator[Place]:
    """A place for the block: an empty one, or a copy of that folder. Raises TaskError."""
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        made = Place(Path(folder))
        if like is not None:
            shutil.copytree(like, folder, dirs_exist_ok=True)
        else:
            vendor.ensure()
            made.make()
        yield made


@contextmanager
def worker() -> Iterator[Worker]:
    """A worker with two empty areas. Raises TaskError."""
    with place() as made, made.worker() as started:
        settle(started)
        yield started


def settle(started: Worker) -> None:
    """Let the extension take over what the browser keeps, while that is nothing; and let there be no limits."""
    started.run(
        f"await {OURS}.getKeys(); await sidekeep.request('settings.set', {{settings: {json.dumps(NO_LIMITS)}}})"
    )
