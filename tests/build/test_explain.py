"""What pip and npm print, told in half a sentence."""

import sys

import pytest

from tasks import programs
from tasks.programs import explain
from tasks.say import TaskError

CASES = {
    "pip cannot resolve the index": (
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Failed to establish a new "
        "connection: [Errno -3] Temporary failure in name resolution'\nERROR: No matching distribution found for anyio",
        "check the network",
    ),
    "pip through a dead proxy": (
        "WARNING: Retrying after connection broken by 'ProxyError('Cannot connect to proxy.', ConnectionRefusedError'",
        "check the network",
    ),
    "npm cannot resolve the registry": (
        "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error request failed",
        "check the network",
    ),
    "pip meets a full disk": (
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        "free some space",
    ),
    "npm meets a full disk": ("npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28", "free some space"),
    "a wheel was tampered with": (
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
        "does not match its checksum",
    ),
    "an intercepting proxy": ("ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED]", "certificate"),
    "a folder of somebody else's": ("error: [Errno 13] Permission denied: '/x'", "may not be written"),
    "something else": ("one\nERROR: the wheel is cursed\n\n", "the wheel is cursed"),
    "nothing at all": ("", "nothing"),
}


@pytest.mark.parametrize(("output", "told"), list(CASES.values()), ids=list(CASES))
def test_the_cause_is_told(output: str, told: str) -> None:
    cause = explain(output)
    assert told in cause
    assert "\n" not in cause


def test_npm_that_could_not_unpack_has_failed_whatever_its_status() -> None:
    script = "print('npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write')"
    with pytest.raises(TaskError, match="Unpacking failed: the disk is full"):
        programs.run([sys.executable, "-c", script], task="Unpacking")


def test_a_program_that_does_well_is_not_complained_about() -> None:
    programs.run([sys.executable, "-c", "print('ENOSPC is a word')"], task="Talking")
