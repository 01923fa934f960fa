"""A browser with the extension in it: its pages, its service worker, its panel."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tasks.browsers import INSTALL, Program
from tasks.cdp import CdpClosedError, CdpError, CdpTimeoutError, Connection, Params
from tasks.launch import Process
from tasks.page import Page
from tasks.places import EXTENSION_ID
from tasks.say import TaskError

PANEL_URL = f"chrome-extension://{EXTENSION_ID}/panel/panel.html"
SWITCHES = (
    "--remote-debugging-pipe",
    "--enable-unsafe-extension-debugging",  # Extensions.loadUnpacked and triggerAction
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-features=DisableLoadExtensionCommandLineSwitch",
    "--password-store=basic",  # a throw-away profile must not ask for the desktop's key ring
    "--use-mock-keychain",
)
HEADLESS = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,900")
NOT_LOADED = "does not load an unpacked extension: use Chromium or Chrome for Testing (--browser PATH)"


class Browser:
    """A started browser. A context manager: it ends with the block, and so does a profile that was made for it."""

    def __init__(
        self,
        program: Program,
        extension: Path,
        *,
        headless: bool,
        profile: Path | None = None,
        environment: Mapping[str, str] | None = None,
        switches: Sequence[str] = (),
    ) -> None:
        self.program = program
        self.extension = extension
        self._kept = profile is not None
        self.profile = profile or Path(tempfile.mkdtemp(prefix="sidekeep-profile-"))
        self.profile.mkdir(parents=True, exist_ok=True)
        argv = [str(program.path), *SWITCHES, *switches, f"--user-data-dir={self.profile}"]
        argv += HEADLESS if headless else ()
        argv += ["--no-sandbox"] if needs_no_sandbox() else []
        argv += [f"--load-extension={extension}"] if program.takes_switch else []
        log = self.profile / "sidekeep-browser.log"
        self.process = Process([*argv, "about:blank"], {**os.environ, **(environment or {})}, log)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def connection(self) -> Connection:
        """The DevTools pipe."""
        return self.process.connection

    def start(self) -> None:
        """Wait until the browser and the extension's worker are up. Raises TaskError."""
        try:
            # The filter lists targets of every kind; `tab` is the one that the extension's icon belongs to.
            self.connection.call("Target.setDiscoverTargets", {"discover": True, "filter": [{}]})
        except CdpError as exc:
            raise self._ended_at_once() from exc
        if self.program.takes_switch and self._worker_came(timeout_s=30):
            return
        try:
            self.connection.call("Extensions.loadUnpacked", {"path": str(self.extension)})
        except CdpError as exc:
            raise TaskError(f"{self.program.name} {NOT_LOADED} ({exc}).") from exc
        if not self._worker_came(timeout_s=60):
            raise TaskError(f"{self.program.name} {NOT_LOADED}.")

    def open(self, url: str) -> Page:
        """Open an address in a new tab and wait until it is loaded. Raises TaskError if the browser cannot."""
        page, error = self.try_open(url)
        if error:
            raise TaskError(f"The page {url} could not be opened: {error}.")
        return page

    def try_open(self, url: str) -> tuple[Page, str]:
        """Open an address in a new tab; the page, and the browser's error text or ''.

        The empty tab that the browser starts with is used first.
        """
        page = Page(self.connection, self._empty_tab() or self._new_tab())
        return page, page.navigate(url)

    def click_icon(self, page: Page, *, extension_id: str = EXTENSION_ID) -> None:
        """Click an extension's icon on a page's tab: this grants activeTab, and Sidekeep's opens the panel."""
        tab = self._tab_of(page)
        self.connection.call("Extensions.triggerAction", {"id": extension_id, "targetId": tab})

    def open_panel(self, page: Page, *, timeout_s: float = 60) -> Page:
        """Click the icon and attach to the panel that this opens."""
        before = {info["targetId"] for info in self.connection.targets()}

        def is_new_panel(info: Params) -> bool:
            return info["url"].startswith(PANEL_URL) and info["type"] != "tab" and info["targetId"] not in before

        self.click_icon(page)
        info = self.connection.wait_target(is_new_panel, what="the side panel", timeout_s=timeout_s)
        return Page(self.connection, info["targetId"])

    def worker(self, *, timeout_s: float = 30) -> Params:
        """The target of the extension's service worker. Raises CdpTimeoutError if none runs."""
        return self.connection.wait_target(_is_worker, what="the extension's service worker", timeout_s=timeout_s)

    def kill_worker(self) -> None:
        """Stop the service worker, as the browser does when it is idle or short of memory."""
        target_id = self.worker()["targetId"]
        self.connection.call("Target.closeTarget", {"targetId": target_id})
        self.connection.wait_gone(target_id, timeout_s=30)

    def reload_extension(self) -> None:
        """Have the browser read the extension's folder anew. Its panel closes; its worker, and with it the host, is another."""
        target_id = self.worker()["targetId"]
        try:
            self.connection.call("Extensions.loadUnpacked", {"path": str(self.extension)})
        except CdpError as exc:
            raise TaskError(f"{self.program.name} does not take the extension again: {exc}.") from exc
        self.connection.wait_gone(target_id, timeout_s=30)
        if not self._worker_came(timeout_s=60):
            raise TaskError(f"{self.program.name} does not start the extension again: look at chrome://extensions.")

    def close(self) -> None:
        """End the browser and what it started; remove the profile unless it was given."""
        self.process.close()
        if not self._kept:
            shutil.rmtree(self.profile, ignore_errors=True)

    def _empty_tab(self) -> str:
        pages = (info for info in self.connection.targets() if info["type"] == "page")
        return next((str(info["targetId"]) for info in pages if info["url"] == "about:blank"), "")

    def _new_tab(self) -> str:
        return str(self.connection.call("Target.createTarget", {"url": "about:blank"})["targetId"])

    def _worker_came(self, *, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        try:
            while (left_s := deadline - time.monotonic()) > 0:
                if self._worker_listens(self.worker(timeout_s=left_s)["targetId"]):
                    return True
        except CdpTimeoutError:
            pass
        except CdpError as exc:
            raise self._ended_at_once() from exc
        return False

    def _worker_listens(self, target_id: str) -> bool:
        """Whether the worker has run its script: a click before that is lost. Asked with little patience, because a
        session that was attached while the worker was still installing never answers."""
        try:
            worker = Page(self.connection, target_id)
            try:
                return bool(worker.evaluate("chrome.action.onClicked.hasListeners()", timeout_s=2))
            finally:
                worker.detach()
        except CdpClosedError:
            raise
        except CdpError:
            return False

    def _ended_at_once(self) -> TaskError:
        # A browser takes its lock with it; one that is still there is another's, which a second start gives way to.
        if self._kept and (self.profile / "SingletonLock").is_symlink():
            return TaskError(
                f"Another browser uses the profile {self.profile}: close it, or name another --profile DIR."
            )
        return TaskError(f"{self.program.path} ended at once ({self.process.last_words()}): {INSTALL}.")

    def _tab_of(self, page: Page) -> str:
        """The id of the `tab` target whose page this is; DevTools has no command that tells, so each tab is asked."""
        for info in [info for info in self.connection.targets() if info["type"] == "tab"]:
            tab = Page(self.connection, info["targetId"])
            try:
                if page.target_id in _children(tab):
                    return str(info["targetId"])
            finally:
                tab.detach()
        raise CdpError("the page has no tab")


def needs_no_sandbox() -> bool:
    """Chromium refuses to start as root with its sandbox on."""
    return sys.platform != "win32" and os.geteuid() == 0


def _is_worker(info: Params) -> bool:
    return bool(info["type"] == "service_worker" and EXTENSION_ID in info["url"])


def _children(tab: Page) -> set[str]:
    """The ids of the targets within a tab."""
    found: set[str] = set()

    def on_event(message: Params) -> None:
        if message["method"] == "Target.attachedToTarget" and message.get("sessionId") == tab.session:
            found.add(message["params"]["targetInfo"]["targetId"])

    stop = tab.connection.listen(on_event)
    try:
        # Existing children are announced before the command is answered.
        params = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        tab.call("Target.setAutoAttach", params)
    finally:
        stop()
    return found
