"""Keys: in the OS key store where it works, else in a file only its owner can read."""

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked, PasswordDeleteError

from sidekeep.errors import StoreFailed
from sidekeep.store import secrets
from sidekeep.store.secrets import SERVICE, SecretStore

# A class of a key store is known to keyring from its definition on, in every test of this process: only who sets one gets it.
NEVER_CHOSEN = -1


class WorkingKeyring(KeyringBackend):
    """A key store that works, through keyring's own interface."""

    priority = NEVER_CHOSEN

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # keyring's own
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[(service, username)] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("not found")


class LockedKeyring(KeyringBackend):
    """A key store whose owner does not unlock it."""

    priority = NEVER_CHOSEN

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked, and this text must not be logged: sk-1")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringLocked("locked")


class SilentKeyring(LockedKeyring):
    """A key store that waits for somebody who is not there."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # keyring's own
        self.answer = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.answer.wait(30)
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        self.answer.wait(30)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "secrets.json"


@pytest.fixture(autouse=True)
def key_store_of_the_platform() -> Iterator[None]:
    """What a test sets is undone after it."""
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


@pytest.fixture
def no_key_store() -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]  # keyring's own


@pytest.mark.usefixtures("no_key_store")
def test_without_a_key_store_a_key_is_kept_in_a_file_of_its_owners(file: Path) -> None:
    SecretStore(file).put("a", "sk-1")
    assert SecretStore(file).get("a") == "sk-1"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["secrets.json"]


@pytest.mark.usefixtures("no_key_store")
def test_a_key_is_replaced_and_removed(file: Path) -> None:
    store = SecretStore(file)
    store.put("a", "sk-1")
    store.put("b", "sk-2")
    store.put("a", "sk-3")
    assert (store.get("a"), store.get("b"), store.get("c")) == ("sk-3", "sk-2", None)
    store.remove("a")
    store.remove("nobody")
    assert store.get("a") is None
    assert "sk-3" not in file.read_text("utf-8")
    assert store.names("b") == ["b"]


@pytest.mark.usefixtures("no_key_store")
@pytest.mark.parametrize("content", [b"{not json", b"\xff\xfe"], ids=["no JSON", "no UTF-8"])
def test_a_broken_key_file_says_what_to_do(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(StoreFailed, match="enter the keys again"):
        SecretStore(file).get("a")


@pytest.mark.usefixtures("no_key_store")
def test_a_key_that_can_be_kept_nowhere_is_an_error_and_leaves_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SecretStore(file)
    store.put("a", "sk-1")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreFailed, match="No space left"):
        store.put("a", "sk-2")
    assert store.get("a") == "sk-1"
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["secrets.json"], "no half file is left"


def test_a_key_store_that_works_has_the_key_and_the_file_has_not(file: Path) -> None:
    backend = WorkingKeyring()
    keyring.set_keyring(backend)
    SecretStore(file).put("a", "sk-1")
    assert backend.kept == {(SERVICE, "a"): "sk-1"}
    assert SecretStore(file).get("a") == "sk-1"
    assert not file.exists()
    SecretStore(file).remove("a")
    SecretStore(file).remove("a")
    assert backend.kept == {}


def test_a_key_moves_from_the_file_to_a_key_store_that_works_now(file: Path) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]  # keyring's own
    SecretStore(file).put("a", "sk-1")
    keyring.set_keyring(WorkingKeyring())
    store = SecretStore(file)
    assert store.get("a") == "sk-1"
    store.put("a", "sk-2")
    assert "sk-" not in file.read_text("utf-8")


def test_a_locked_key_store_falls_back_to_the_file_and_its_words_are_not_logged(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keyring.set_keyring(LockedKeyring())  # type: ignore[no-untyped-call]  # keyring's own
    store = SecretStore(file)
    store.put("a", "sk-1")
    assert store.get("a") == "sk-1"
    assert "sk-1" not in caplog.text
    store.remove("a")
    assert store.get("a") is None


def test_a_silent_key_store_is_given_up_in_time(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "KEYRING_TIMEOUT_S", 0.05)
    backend = SilentKeyring()
    keyring.set_keyring(backend)
    store = SecretStore(file)
    store.put("a", "sk-1")
    assert store.get("a") == "sk-1"
    backend.answer.set()


@pytest.mark.usefixtures("no_key_store")
def test_two_hosts_that_save_keys_at_once_keep_both(file: Path) -> None:
    stores = [SecretStore(file) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda store=store, name=name: store.put(f"{name}", "sk"))
        for name, store in enumerate(stores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(SecretStore(file).names("")) == ["0", "1", "2", "3"]


@pytest.mark.usefixtures("no_key_store")
def test_what_a_killed_process_left_of_the_key_file_is_removed(file: Path) -> None:
    """It holds every key there was, also those that are forgotten later."""
    left = file.with_name(".secrets-abc")
    left.write_text('{"old": "key"}', "utf-8")
    SecretStore(file).put("name", "key")
    assert not left.exists()
    assert SecretStore(file).get("name") == "key"
