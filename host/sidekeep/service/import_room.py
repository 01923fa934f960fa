"""Room for imported chats: which of them go to the archive where there are more than the limit allows.

Never a chat that a person made, continued or has open: of the imported ones the newest stay, pinned ones before others. So it
does not matter in which order a file has them, nor whether an import was stopped and run again.
"""

import heapq
from collections.abc import Iterator

from sidekeep.domain.chat import Chat
from sidekeep.service import removal
from sidekeep.service.writing import Write
from sidekeep.store import entries, facts, imports
from sidekeep.store.imports import Candidate


class Room:
    """Of one run of an import; it looks at the store once, and then counts along.

    In a dry run nothing that was added is there when the next comes. A file may have a million conversations: of most of them
    only a number is remembered.
    """

    def __init__(self, *, is_dry: bool = False) -> None:
        self._met: set[int] = set()
        self._is_dry = is_dry
        self._is_known = False
        self._count = 0
        self._candidates: list[Candidate] = []

    def meets(self, fingerprint: str) -> bool:
        """Note that the run meets a conversation of that fingerprint. Whether it has met one before."""
        is_known = hash(fingerprint) in self._met
        self._met.add(hash(fingerprint))
        return is_known

    def is_too_old(self, write: Write, candidate: Candidate) -> bool:
        """Whether an imported chat would be the first to leave, so that it goes to the archive without having been a chat."""
        self.look(write)
        limit = write.limits.chats
        return bool(limit and self._count >= limit and self._candidates and candidate < self._candidates[0])

    def add(self, write: Write, candidate: Candidate) -> Iterator[str]:
        """An imported chat was just added: archive what is over the limit now. Gives the fingerprints of what went."""
        self._count += 1
        limit = write.limits.chats
        if limit:
            heapq.heappush(self._candidates, candidate)
        while limit and self._count > limit and self._candidates:
            oldest = heapq.heappop(self._candidates)
            chat = self._as_imported(write, oldest)
            if chat is not None:
                removal.remove_chat(write, chat, evicted=True)
            if chat is not None or self._is_dry:
                self._count -= 1
                yield oldest.fingerprint

    def look(self, write: Write) -> None:
        """Count what is there. Call before a chat is added."""
        if self._is_known or not write.limits.chats:
            return
        self._is_known = True
        self._count = facts.count_chats(write.tx, write.scope.namespace)
        self._candidates = imports.unchanged_chats(write.tx, write.scope.namespace)
        heapq.heapify(self._candidates)

    def _as_imported(self, write: Write, candidate: Candidate) -> Chat | None:
        """The chat, where it is still as it was imported, and nobody has it open."""
        namespace = write.scope.namespace
        chat = entries.chat(write.tx, namespace, candidate.chat_id)
        known = imports.find(write.tx, namespace, candidate.fingerprint)
        if chat is None or known is None or known.revision != chat.revision:
            return None
        is_open = bool(entries.live_with_chat(write.tx, namespace, chat.id))
        return None if is_open or write.limits.is_running(namespace, chat.id) else chat
