"""Three hosts over one store, as windows are: no update lost, no lock shown, each change heard once and in order."""

import random
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.torture.client import Client, Message, Refused
from tasks.torture.fault import Outcome, Wish
from tasks.torture.ledger import Ledger, lost
from tasks.torture.load import EXPECTED, Load

HOSTS = 3
PROFILE = "6f1d3c52-5b0e-4c33-9a57-3f1f5f6f7a10"
SHARED = tuple(f"shared {number}" for number in range(4))
# Every so many operations all hosts write the same few keys.
SHARED_EVERY = 5
CATCH_UP_S = 120.0


@dataclass(slots=True)
class Ear:
    """What one client heard of the area, in order: from the mark that begins the run to the one that ends it."""

    changes: list[dict[str, Any]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def hear(self, message: Message) -> None:
        if message.get("method") != "storage.onChanged":
            return
        changes = message["params"]["changes"]
        if "begin" in changes:
            self.changes.clear()
        elif "end" in changes:
            self.ended.set()
        else:
            self.changes.append(changes)


def run(wish: Wish) -> Outcome:
    """Let three hosts do `wish.size` operations in all."""
    outcome = Outcome("together", wish.seed)
    ears = [Ear() for _ in range(HOSTS)]
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder:
        home = Path(folder)
        ledgers = [Ledger() for _ in ears]
        with ExitStack() as stack:
            hosts = [stack.enter_context(Client(home, heard=ear.hear)) for ear in ears]
            for host in hosts:
                host.hello(profile=PROFILE)
                host.request("storage.watch", keys=["history", "session_*", "savedSessions"], values=False)
            hosts[0].request("storage.set", items={"begin": True})
            with ThreadPoolExecutor(HOSTS) as pool:
                args = [(host, ledgers[number], number, wish, outcome) for number, host in enumerate(hosts)]
                outcome.counts["operations"] = sum(pool.map(lambda each: _work(*each), args))
            hosts[0].request("storage.set", items={"end": True})
            for number, ear in enumerate(ears):
                if not ear.ended.wait(CATCH_UP_S):
                    outcome.find(f"client {number} did not hear the last change")
        for host in hosts:
            for broken in host.broken:
                outcome.find(broken)
        together = _together(ledgers)
        outcome.counts["acknowledged writes"] = sum(ledger.size for ledger in ledgers)
        for complaint in lost(home, together, profile=PROFILE):
            outcome.find(complaint)
    _compare(ears, ledgers, outcome)
    return outcome


def _work(host: Client, ledger: Ledger, number: int, wish: Wish, outcome: Outcome) -> int:
    """A host's share of the operations; returns how many there was time for."""
    rng = random.Random(wish.seed * HOSTS + number)
    load = Load(host, ledger, rng, f"host{number}")
    done = 0
    for operation in range(wish.size // HOSTS):
        if not wish.has_time:
            break
        if operation % 200 == 0:
            load.know()
        if operation % SHARED_EVERY:
            load.step()
        else:
            _share(host, ledger, rng.choice(SHARED), f"{number}-{operation}", outcome)
        done += 1
    load.finish()
    for refusal in load.refusals:
        outcome.find(refusal)
    return done


def _share(host: Client, ledger: Ledger, key: str, value: str, outcome: Outcome) -> None:
    """A value that nobody else writes, under a key that everybody does."""
    try:
        host.request("storage.set", items={key: value})
    except Refused as refused:
        if refused.kind not in EXPECTED:
            outcome.find(f"storage.set was answered {refused.kind}: {refused.message}")
    else:
        ledger.shared.append((key, value))


def _together(ledgers: list[Ledger]) -> Ledger:
    """What must be there whoever wrote it: messages, and each host's own keys. Of chats another host may be the last to write."""
    whole = Ledger()
    for ledger in ledgers:
        whole.contents |= ledger.contents
        for key, may in ledger.keys("area:"):
            whole.acknowledged(f"area:{key}", may[0])
    return whole


def _compare(ears: list[Ear], ledgers: list[Ledger], outcome: Outcome) -> None:
    first = ears[0].changes
    outcome.counts["changes heard by each"] = len(first)
    for number, ear in enumerate(ears[1:], 1):
        if ear.changes != first:
            at = next((i for i, pair in enumerate(zip(first, ear.changes, strict=False)) if pair[0] != pair[1]), -1)
            outcome.find(
                f"client {number} heard {len(ear.changes)} changes, client 0 {len(first)}; first other at {at}"
            )
    heard = [(key, changes[key].get("newValue")) for changes in first for key in SHARED if key in changes]
    written = [pair for ledger in ledgers for pair in ledger.shared]
    if sorted(heard) != sorted(written):
        outcome.find(f"{len(written)} writes of shared keys were acknowledged, {len(heard)} were heard")
    before: dict[str, Any] = {}
    for changes in first:
        for key in SHARED:
            if key in changes:
                if changes[key].get("oldValue") != before.get(key):
                    outcome.find(f"a change of {key} follows from another value than the one before it")
                before[key] = changes[key].get("newValue")
