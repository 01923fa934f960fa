"""What the extension asks of the browser, and whom it lets speak to it: read from the manifest and the sources that ship."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "extension"
SOURCES = {
    path.relative_to(EXTENSION).as_posix(): path.read_text("utf-8")
    for path in EXTENSION.rglob("*.js")
    if "vendor" not in path.parts
}


def manifest() -> dict[str, object]:
    found: dict[str, object] = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))
    return found


def holding(pattern: str) -> set[str]:
    """The sources in which a pattern is found."""
    return {name for name, text in SOURCES.items() if re.search(pattern, text)}


def test_no_page_and_no_other_extension_can_speak_to_the_worker_or_load_a_file_of_ours() -> None:
    assert not {"externally_connectable", "web_accessible_resources", "content_scripts", "sandbox"} & manifest().keys()
    assert holding(r"on(Message|Connect|UserScriptMessage|UserScriptConnect)External|onUserScript") == set()
    assert holding(r"runtime\.on(Connect|Message)\b") == {"lib/chrome.js"}
    assert holding(r"""addEventListener\(\s*["']message["']""") == set()


def test_it_asks_for_no_site_and_nothing_it_does_not_use() -> None:
    wanted = manifest()["permissions"]
    assert wanted == ["nativeMessaging", "sidePanel", "activeTab", "scripting", "storage", "contextMenus"]
    assert "host_permissions" not in manifest()
    assert manifest()["optional_host_permissions"] == ["http://*/*", "https://*/*"]


def test_its_pages_run_their_own_files_load_nothing_from_elsewhere_and_are_framed_by_nobody() -> None:
    policy = manifest()["content_security_policy"]
    assert isinstance(policy, dict)
    assert list(policy) == ["extension_pages"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy["extension_pages"].split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_text_becomes_markup_in_one_place_and_code_in_none() -> None:
    assert holding(r"\beval\(|new Function|document\.write") == set()
    assert holding(r"innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment") <= {
        "lib/markup.js"
    }
    assert holding(r"XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts") == set()
    asked = {what for text in SOURCES.values() for what in re.findall(r"\bfetch\(([\w.]*)", text)}
    assert asked == {"browser.url", "location.href"}, (
        "files of the extension; in a PDF's own tab that file, as its page has it"
    )


def test_no_key_of_a_server_is_written_into_the_browser() -> None:
    assert holding(r"apiKey") <= {
        "lib/fallback-keys.js",
        "lib/provider-keys.js",
        "lib/adoption.js",
        "options/provider-fields.js",
        "options/provider-form.js",
    }
