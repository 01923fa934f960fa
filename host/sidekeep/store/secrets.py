"""Keys of model servers: in the OS key store, else in a file only its owner can read. Never in the database, a log or a reply."""

import json
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sidekeep import logs, paths
from sidekeep.errors import StoreBusy, StoreFailed

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "sidekeep"
# A key store that asks a locked session's owner, or a bus nobody answers on, must not hang the panel.
KEYRING_TIMEOUT_S = 5.0
_UNFINISHED = ".secrets-"
# Another host's change of the key file takes milliseconds.
LOCK_TIMEOUT_S = 5.0


class SecretStore:
    """Secrets by name. Names say whose they are and which origin they may be sent to; they are not secret themselves."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._keyring: KeyringBackend | None = None
        self._keyring_known = False

    def get(self, name: str) -> str | None:
        """The secret; None where there is none."""
        backend = self._backend()
        if backend is not None:
            found = _bounded(lambda: backend.get_password(SERVICE, name))
            if found:
                return found
        return self._read().get(name)

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, over an older one. Raises StoreFailed where it can be kept nowhere."""
        backend = self._backend()
        if backend is not None and _bounded(lambda: _set(backend, name, secret)):
            self._forget_in_file(name)
            return
        self._change(lambda secrets: secrets.update({name: secret}))

    def remove(self, name: str) -> None:
        """Forget a secret; one that is not there is no error."""
        backend = self._backend()
        if backend is not None:
            _bounded(lambda: _delete(backend, name))
        self._forget_in_file(name)

    @property
    def has_key_store(self) -> bool:
        """Whether the system's key store is used; otherwise the file. Raises StoreFailed where the file cannot be read."""
        self._read()
        return self._backend() is not None

    def names(self, prefix: str) -> list[str]:
        """Names in the file that begin with `prefix`; OS key stores cannot be listed."""
        return [name for name in self._read() if name.startswith(prefix)]

    def _backend(self) -> "KeyringBackend | None":
        if not self._keyring_known:
            self._keyring_known = True
            self._keyring = _bounded(_usable_backend)
        return self._keyring

    def _forget_in_file(self, name: str) -> None:
        if name in self._read():
            self._change(lambda secrets: secrets.pop(name, None))

    def _change(self, change: Callable[[dict[str, str]], object]) -> None:
        """Change the file's secrets under a lock: two hosts that save a key at once must not lose one."""
        import filelock

        locks = paths.ensure_private(paths.locks(self._file.parent))
        try:
            with filelock.FileLock(locks / "secrets.lock", timeout=LOCK_TIMEOUT_S, mode=0o600):
                secrets = self._read()
                change(secrets)
                self._write(secrets)
        except filelock.Timeout as exc:
            raise StoreBusy("Another program holds the key file. Nothing was changed; try again in a moment.") from exc

    def _read(self) -> dict[str, str]:
        try:
            stored = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as exc:
            raise StoreFailed(f"The key file {self._file} cannot be read. Delete it and enter the keys again.") from exc
        return (
            {name: secret for name, secret in stored.items() if isinstance(secret, str)}
            if isinstance(stored, dict)
            else {}
        )

    def _write(self, secrets: dict[str, str]) -> None:
        temporary = ""
        for left in self._file.parent.glob(f"{_UNFINISHED}*"):  # by a process that was killed here; the lock is held
            left.unlink(missing_ok=True)
        try:
            handle, temporary = tempfile.mkstemp(dir=self._file.parent, prefix=_UNFINISHED)  # made 0600
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(secrets, out)
                out.flush()
                os.fsync(out.fileno())
            Path(temporary).replace(self._file)
        except OSError as exc:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise StoreFailed(
                f"The key could not be saved: {exc.strerror}. Check the data folder and the disk."
            ) from exc


def _usable_backend() -> "KeyringBackend | None":
    """The platform's key store, or None where there is none that works (a server, a container, no desktop session)."""
    import keyring
    from keyring.backends import chainer, fail

    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring) or (isinstance(backend, chainer.ChainerBackend) and not backend.backends):
        return None
    return backend


def _set(backend: "KeyringBackend", name: str, secret: str) -> bool:
    backend.set_password(SERVICE, name, secret)
    return True


def _delete(backend: "KeyringBackend", name: str) -> None:
    from keyring.errors import PasswordDeleteError

    try:
        backend.delete_password(SERVICE, name)
    except PasswordDeleteError:
        return


def _bounded(call: Callable[[], T]) -> T | None:
    """The result of a call into the key store; None where it fails or does not answer in time."""
    results: list[T] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as exc:
            logs.warning("the key store failed: %s", type(exc).__name__)

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(KEYRING_TIMEOUT_S)
    return results[0] if results else None
