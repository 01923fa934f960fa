"""The browsers, as data: where each one of each platform looks for native messaging hosts.

Sources: Chrome's and Edge's documentation of native messaging, chrome_paths.cc, launch_context_win.cc, traces of Brave, Vivaldi,
Opera and Edge, and the code of installers that are widely used.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

HOST_NAME = "dev.sidekeep.host"
FOLDER = "NativeMessagingHosts"

Platform = Literal["linux", "macos", "windows"]


class Place(NamedTuple):
    """What one browser uses on one platform.

    data: its user data directory, there once it has been started; below ~/.config, ~/Library/Application Support, %LOCALAPPDATA%.
    hosts: where it looks for hosts however it was started: like `data`, on Windows keys below `Software`; empty where it looks in
        `data`, or in the directory that --user-data-dir names.
    system: the folder for the whole machine; on Windows it is the same keys, of HKLM.
    fallback: where it looks after those: for the machine, on Windows also for a person.
    programs: a command, an application or its folder, by which a browser is known that was never started.
    policies: where an administrator's policies are.
    """

    data: str
    hosts: tuple[str, ...] = ()
    system: str = ""
    fallback: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    policies: str = ""


class Sandbox(NamedTuple):
    """A browser that sees only its own folder: the program has to lie in it. Paths are below the person's home."""

    kind: Literal["flatpak", "snap"]
    config: str
    tree: str


class Browser(NamedTuple):
    """One browser, or one channel of it. `name` is what --browser takes."""

    name: str
    title: str
    linux: Place | None = None
    macos: Place | None = None
    windows: Place | None = None
    sandbox: Sandbox | None = None

    def place(self, platform: Platform) -> Place | None:
        """What it uses on this platform; None where there is no such browser."""
        places: Mapping[Platform, Place | None] = {"linux": self.linux, "macos": self.macos, "windows": self.windows}
        return places[platform]


CHROME_LINUX = "/etc/opt/chrome/native-messaging-hosts"
CHROME_MACOS = "/Library/Google/Chrome/NativeMessagingHosts"
EDGE_LINUX = "/etc/opt/edge/native-messaging-hosts"
EDGE_MACOS = "/Library/Microsoft/Edge/NativeMessagingHosts"
CHROMIUM_LINUX = "/etc/chromium/native-messaging-hosts"
CHROME_POLICIES = "/etc/opt/chrome/policies/managed"
EDGE_POLICIES = "/etc/opt/edge/policies/managed"


def _chrome(channel: str, linux: str, macos: str, windows: str, command: str) -> Browser:
    title = f"Google Chrome {channel}".rstrip()
    return Browser(
        name=f"chrome-{channel.lower()}".rstrip("-"),
        title=title,
        linux=Place(linux, system=CHROME_LINUX, programs=(command,), policies=CHROME_POLICIES),
        macos=Place(macos, system=CHROME_MACOS, programs=(f"{title}.app",), policies="com.google.Chrome"),
        windows=Place(
            windows, hosts=(r"Google\Chrome",), programs=(_app(windows),), policies=r"Policies\Google\Chrome"
        ),
    )


def _edge(channel: str, linux: str, command: str, windows: str) -> Browser:
    title = f"Microsoft Edge {channel}".rstrip()
    # No channel but these three is made for Linux.
    on_linux = (
        Place(linux, system=EDGE_LINUX, fallback=(CHROME_LINUX,), programs=(command,), policies=EDGE_POLICIES)
        if linux
        else None
    )
    return Browser(
        name=f"edge-{channel.lower()}".rstrip("-"),
        title=title,
        linux=on_linux,
        macos=Place(title, system=EDGE_MACOS, programs=(f"{title}.app",), policies="com.microsoft.Edge"),
        # Only the first hit is read, so Edge's own key counts whatever the others hold.
        windows=Place(
            windows,
            hosts=(r"Microsoft\Edge",),
            fallback=("Chromium", r"Google\Chrome"),
            programs=(_app(windows),),
            policies=r"Policies\Microsoft\Edge",
        ),
    )


def _app(data: str) -> str:
    """Where a Windows browser's program is, of one user or of all: beside its user data."""
    return data.replace("User Data", "Application")


BROWSERS = (
    _chrome("", "google-chrome", "Google/Chrome", r"Google\Chrome\User Data", "google-chrome"),
    _chrome("Beta", "google-chrome-beta", "Google/Chrome Beta", r"Google\Chrome Beta\User Data", "google-chrome-beta"),
    _chrome(
        "Dev", "google-chrome-unstable", "Google/Chrome Dev", r"Google\Chrome Dev\User Data", "google-chrome-unstable"
    ),
    _chrome(
        "Canary", "google-chrome-canary", "Google/Chrome Canary", r"Google\Chrome SxS\User Data", "google-chrome-canary"
    ),
    Browser(
        "chrome-for-testing",
        "Chrome for Testing",
        # From 146 on; before that it used Chrome's folders.
        Place(
            "google-chrome-for-testing",
            system="/etc/opt/chrome_for_testing/native-messaging-hosts",
            programs=("chrome-for-testing",),
            policies="/etc/opt/chrome_for_testing/policies/managed",
        ),
        Place(
            "Google/ChromeForTesting",
            system="/Library/Google/ChromeForTesting/NativeMessagingHosts",
            programs=("Google Chrome for Testing.app",),
            policies="com.google.chrome.for.testing",
        ),
        Place(r"Google\Chrome for Testing\User Data", hosts=(r"Google\Chrome",), policies=r"Policies\Google\Chrome"),
    ),
    Browser(
        "chromium",
        "Chromium",
        Place(
            "chromium",
            system=CHROMIUM_LINUX,
            programs=("chromium", "chromium-browser"),
            policies="/etc/chromium/policies/managed",
        ),
        Place(
            "Chromium",
            system="/Library/Application Support/Chromium/NativeMessagingHosts",
            programs=("Chromium.app",),
            policies="org.chromium.Chromium",
        ),
        Place(
            r"Chromium\User Data",
            hosts=("Chromium",),
            fallback=(r"Google\Chrome",),
            programs=(r"Chromium\Application",),
            policies=r"Policies\Chromium",
        ),
    ),
    _edge("", "microsoft-edge", "microsoft-edge", r"Microsoft\Edge\User Data"),
    _edge("Beta", "microsoft-edge-beta", "microsoft-edge-beta", r"Microsoft\Edge Beta\User Data"),
    _edge("Dev", "microsoft-edge-dev", "microsoft-edge-dev", r"Microsoft\Edge Dev\User Data"),
    _edge("Canary", "", "", r"Microsoft\Edge SxS\User Data"),
    Browser(
        "brave",
        "Brave",
        Place(
            "BraveSoftware/Brave-Browser",
            hosts=("BraveSoftware/Brave-Browser",),
            system=CHROME_LINUX,
            programs=("brave-browser", "brave"),
            policies="/etc/brave/policies/managed",
        ),
        Place(
            "BraveSoftware/Brave-Browser",
            hosts=("BraveSoftware/Brave-Browser", "Google/Chrome"),
            system=CHROME_MACOS,
            programs=("Brave Browser.app",),
            policies="com.brave.Browser",
        ),
        Place(
            r"BraveSoftware\Brave-Browser\User Data",
            hosts=(r"BraveSoftware\Brave-Browser", r"Google\Chrome"),
            programs=(r"BraveSoftware\Brave-Browser\Application",),
            policies=r"Policies\BraveSoftware\Brave",
        ),
    ),
    Browser(
        "vivaldi",
        "Vivaldi",
        Place("vivaldi", system=CHROME_LINUX, programs=("vivaldi", "vivaldi-stable"), policies=CHROME_POLICIES),
        Place("Vivaldi", system=CHROME_MACOS, programs=("Vivaldi.app",), policies="com.vivaldi.Vivaldi"),
        Place(
            r"Vivaldi\User Data",
            hosts=("Vivaldi", r"Google\Chrome"),
            programs=(r"Vivaldi\Application",),
            policies=r"Policies\Vivaldi",
        ),
    ),
    Browser(
        "opera",
        "Opera",
        Place("opera", hosts=("google-chrome",), system=CHROME_LINUX, programs=("opera",)),
        Place("com.operasoftware.Opera", hosts=("Google/Chrome",), system=CHROME_MACOS, programs=("Opera.app",)),
        Place(r"Programs\Opera", hosts=(r"Google\Chrome",)),
    ),
    Browser(
        "arc",
        "Arc",
        None,
        Place("Arc/User Data", system=CHROME_MACOS, programs=("Arc.app",)),
        Place(r"Packages\TheBrowserCompany.Arc_ttt1ap7aakyb4", hosts=(r"Google\Chrome",)),
    ),
    Browser(
        "ungoogled-chromium",
        "ungoogled-chromium",
        Place("ungoogled-chromium", system=CHROMIUM_LINUX, programs=("ungoogled-chromium",)),
    ),
    Browser(
        "helium", "Helium", Place("net.imput.helium", system=CHROMIUM_LINUX, programs=("helium", "helium-browser"))
    ),
)

FLATPAKS = {
    "chrome": "com.google.Chrome",
    "chromium": "org.chromium.Chromium",
    "edge": "com.microsoft.Edge",
    "brave": "com.brave.Browser",
    "vivaldi": "com.vivaldi.Vivaldi",
    "opera": "com.opera.Opera",
}
SNAPS = {"chromium": "chromium"}


def _flatpak(browser: Browser, app: str) -> Browser:
    tree = f".var/app/{app}"
    return Browser(
        f"{browser.name}-flatpak",
        f"{browser.title} (Flatpak)",
        browser.linux,
        sandbox=Sandbox("flatpak", config=f"{tree}/config", tree=f"{tree}/sidekeep"),
    )


def _snap(browser: Browser, snap: str) -> Browser:
    tree = f"snap/{snap}/common"
    return Browser(
        f"{browser.name}-snap",
        f"{browser.title} (Snap)",
        browser.linux,
        sandbox=Sandbox("snap", config=tree, tree=f"{tree}/sidekeep"),
    )


def all_browsers() -> Iterator[Browser]:
    """Every browser, those in sandboxes last."""
    yield from BROWSERS
    yield from (_flatpak(browser, FLATPAKS[browser.name]) for browser in BROWSERS if browser.name in FLATPAKS)
    yield from (_snap(browser, SNAPS[browser.name]) for browser in BROWSERS if browser.name in SNAPS)


def names(platform: Platform) -> list[str]:
    """What --browser takes on this platform."""
    return [browser.name for browser in all_browsers() if browser.place(platform)]
