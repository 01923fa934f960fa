"""The keys of the storage area that Sidekeep itself uses (docs/protocol.md, Storage area).

`extension/lib/settings-keys.js` mirrors this table; tests/domain/test_area_keys.py compares the two.
"""

from typing import Any

DEFAULTS: dict[str, Any] = {
    "providers": {},
    "activeProvider": "offline",
    "activeModel": "",
    "pingStates": {},
    "history": [],
    "activeSessionId": "",
    "contextMode": "auto",
    "maxTextChars": 0,
    "summarizeThresholdChars": 0,
    "autoSummarizeAttachments": True,
    "systemPrompt": "You are a helpful assistant.",
    "replyLanguage": "",
    "requestWindow": {"mode": "full", "messages": 12, "chars": 8000},
}

OPTIONS_PAGE_DEFAULTS: dict[str, Any] = {"theme": "system", "uiLanguage": "", "sendKey": "enter"}

# Never `history`: its value can be megabytes, and getAll runs whenever a panel opens.
GET_ALL_KEYS: tuple[str, ...] = (*(key for key in DEFAULTS if key != "history"), *OPTIONS_PAGE_DEFAULTS)

# Read and written per profile; every other key is shared by the namespace.
PROFILE_KEYS = frozenset({"history", "activeSessionId"})


def light_defaults() -> dict[str, Any]:
    """A default for every key of GET_ALL_KEYS."""
    known = {**DEFAULTS, **OPTIONS_PAGE_DEFAULTS}
    return {key: known[key] for key in GET_ALL_KEYS}
