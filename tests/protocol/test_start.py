"""A browser's start imports what the first replies need and nothing else (docs/design.md, Start)."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.host import RunningHost, frame
from tests.support.waiting import wait_until

from sidekeep import paths

# orjson imports dataclasses, inspect and uuid: more than all of Sidekeep's own modules take.
HEAVY = (
    *("orjson", "dataclasses", "inspect", "uuid", "hashlib"),
    *("pydantic", "httpx", "asyncio", "keyring", "logging", "PIL", "zstandard", "xllamacpp", "filelock"),
    *("watchfiles", "platformdirs", "rich", "truststore", "sqlite3", "subprocess", "argparse", "tomllib"),
    *("sidekeep.store.backups", "sidekeep.store.recovery", "sidekeep.store.replacing", "sidekeep.service.upkeep"),
)
AFTER_HELLO = (
    *("sidekeep.handlers.storage", "sidekeep.service.area", "sidekeep.service.key_values", "sidekeep.domain.chat"),
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a host has imported that has answered hello and getAll and written a key, on a home that another one has met."""
    home = paths.ensure_private(tmp_path_factory.mktemp("start") / "home")
    program = (sys.executable, str(Path(__file__).with_name("modules_host.py")))
    paths.settings_file(home).write_text("[backup]\ndaily = 3\n", "utf-8")
    with RunningHost(home) as first:
        first.hello()
        wait_until(paths.good_settings(home).exists, "the settings were not checked")
    with RunningHost(home, program=program) as host:
        hello = {"client": "tests", "version": "0", "protocol": 1, "profile": "p"}
        asked: dict[str, Any] = {
            "hello": hello,
            "storage.getAll": {},
            "storage.set": {"items": {"theme": "dark"}},
            "test.modules": {},
        }
        *burst, last = [host.numbered(method, params) for method, params in asked.items()]
        host.write(b"".join(map(frame, (*burst, last))))
        for request in burst:
            host.result(request["id"])
        answer: dict[str, Any] = host.result(last["id"])
        return answer


@pytest.fixture(scope="module")
def imported(told: dict[str, Any]) -> set[str]:
    return set(told["modules"])


def test_the_probe_sees_what_is_imported(imported: set[str]) -> None:
    assert {"sidekeep.app", "apsw", *AFTER_HELLO} <= imported


@pytest.mark.parametrize("name", AFTER_HELLO)
def test_it_is_not_imported_before_the_reply_to_hello(told: dict[str, Any], name: str) -> None:
    assert name not in told["at_hello"]


def test_garbage_is_collected_from_the_reply_to_hello_on(told: dict[str, Any]) -> None:
    assert told["collects"]


@pytest.mark.parametrize("name", HEAVY)
def test_it_is_not_imported_before_the_first_replies(imported: set[str], name: str) -> None:
    assert name not in imported
