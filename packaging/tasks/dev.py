"""`dev`: a browser with the panel open; what is edited is built, and extension, host and panel begin anew with it."""

import os
import sys
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from tasks import browsers, dist, pages, venv
from tasks.browser import Browser
from tasks.page import Page
from tasks.places import ARTICLE, EXTENSION, ROOT, VENV_PYTHON
from tasks.run import Wish, has_display, started
from tasks.say import TaskError, say, step
from tasks.setup import setup

HOST = ROOT / "host" / "sidekeep"
# What a build puts into the sources itself.
MADE = (EXTENSION / "vendor",)


def dev(wish: Wish) -> None:
    """Build, start, watch until the browser is closed or Ctrl-C. Raises TaskError."""
    program = browsers.find(wish.browser)
    setup()
    _with_the_checkouts_packages()
    built = dist.build()
    headless = wish.headless or not has_display()
    with (
        pages.served(wish.page or str(ARTICLE)) as url,
        started(program, wish, headless=headless, extension=built) as browser,
    ):
        page = browser.open(url)
        browser.open_panel(page)
        say("Edit extension/ or host/sidekeep/: they are taken over. Close the browser or press Ctrl-C to end.")
        for changed in changes(browser):
            take_over(changed, browser, page)


def changes(browser: Browser) -> Iterator[set[Path]]:
    """The files that were edited, together where they were saved together, until the browser is closed."""
    from watchfiles import PythonFilter, watch

    closed = threading.Event()
    threading.Thread(target=_wait_closed, args=(browser, closed), daemon=True).start()
    sources = PythonFilter(extra_extensions=(".js", ".html", ".css", ".json", ".ts", ".png", ".svg"))
    for found in watch(EXTENSION, HOST, watch_filter=sources, stop_event=closed, raise_interrupt=True):
        if edited := {Path(path) for _, path in found if not any(made in Path(path).parents for made in MADE)}:
            yield edited


def take_over(changed: Collection[Path], browser: Browser, page: Page) -> Page | None:
    """Build what was edited and begin anew with it. Returns the new panel; None after a mistake, which is told."""
    names = ", ".join(sorted(str(path.relative_to(ROOT)) for path in changed if ROOT in path.parents))
    step("Edited", names)
    try:
        if any(EXTENSION in path.parents for path in changed):
            dist.build()
        if any(HOST in path.parents for path in changed):
            venv.compile_host()
        browser.reload_extension()
        panel = browser.open_panel(page)
    except TaskError as exc:
        say(str(exc))
        return None
    step("Taken over", "extension, host and panel are new")
    return panel


def _wait_closed(browser: Browser, closed: threading.Event) -> None:
    browser.connection.wait_closed()
    closed.set()


def _with_the_checkouts_packages() -> None:
    """watchfiles is in .venv, so the rest runs with its Python."""
    if Path(sys.prefix) != VENV_PYTHON.parents[1]:
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), str(ROOT / "build.py"), *sys.argv[1:]])  # noqa: S606  the same command
