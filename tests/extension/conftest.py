"""The extension's modules where they run: on a page of the extension in a real browser, under its own CSP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks import browsers, vendor
from tasks.browser import Browser
from tasks.page import Page
from tasks.places import EXTENSION, ORIGIN


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with the extension and no host: nothing here needs one."""
    vendor.ensure()
    profile: Path = tmp_path_factory.mktemp("profile")
    with Browser(browsers.find(None), EXTENSION, headless=True, profile=profile) as started:
        started.start()
        yield started


@pytest.fixture(scope="module")
def extension_page(browser: Browser) -> Page:
    """A page of the extension in a tab."""
    return browser.open(ORIGIN + "panel/panel.html")
