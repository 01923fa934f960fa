"""Answers under way are written down every second, so that a host that is killed loses at most the last one's text.

What a killed host left is put where its answer would be, marked interrupted: by the next host that starts, and before the next
question of that conversation.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from sidekeep import logs
from sidekeep.errors import SidekeepError
from sidekeep.service.running import RunningTurn
from sidekeep.service.turn_store import Left, Place, TurnStore
from sidekeep.store import partial_answers
from sidekeep.store.database import Database
from sidekeep.store.locks import NamedLocks
from sidekeep.store.partial_answers import Partial

SAVE_EVERY_S = 1.0

Pause = Callable[[float], Awaitable[None]]


class PartialAnswers:
    """The partial answers of one store. One in memory ends with its process, so it keeps none."""

    def __init__(
        self, database: Database, store: TurnStore, locks: NamedLocks, *, pause: Pause = asyncio.sleep
    ) -> None:
        self._database = database
        self._store = store
        self._locks = locks
        self._pause = pause

    async def follow(self, turn: RunningTurn, message: dict[str, Any]) -> None:
        """Write down what comes of a turn's answer, until cancelled. `message` is the answer without its text."""
        asked = turn.asked
        partial = Partial(turn.answer_id, turn.scope, asked.session_id, asked.chat_id, message)
        written = 0
        while self._database.path is not None:
            await self._pause(SAVE_EVERY_S)
            text = turn.text
            if len(text) > written:
                with contextlib.suppress(SidekeepError):  # a full disk is told when the answer is written
                    await asyncio.to_thread(self._save, turn, partial, text[written:])
                    written = len(text)

    def finish_all(self) -> None:
        """Put what killed hosts left into its conversations; that of hosts that live is left alone. Never raises."""
        try:
            for partial in self._all():
                lock = self._locks.try_lock(f"{partial.scope.namespace}/{partial.chat_id or partial.session_id}")
                if lock is not None:
                    try:
                        self._finish(partial)
                    finally:
                        lock.release()
        except SidekeepError as exc:
            logs.warning("what a killed host had of an answer waits for the next start: %s", exc.message)

    def finish_at(self, place: Place) -> None:
        """The same for one conversation, whose lock the caller has. Raises StoreFailed, StoreBusy."""
        session_id, chat_id = place
        for partial in self._all():
            if session_id == partial.session_id or (chat_id and chat_id == partial.chat_id):
                self._finish(partial)

    def _save(self, turn: RunningTurn, partial: Partial, text: str) -> None:
        with self._database.transaction() as tx:
            # Whether it is over is asked in the transaction: the one that writes the answer comes after this one, or came before.
            if not turn.is_over:
                partial_answers.add(tx, partial, turn.asked.question_pk, text)

    def _all(self) -> list[Partial]:
        with self._database.reading() as tx:
            return partial_answers.everything(tx)

    def _finish(self, partial: Partial) -> None:
        with self._database.reading() as tx:
            text = partial_answers.text_of(tx, partial.answer_id)
        if text:  # else its host has written the answer meanwhile
            message = {**partial.message, "content": text}
            self._store.answer(partial.scope, (partial.session_id, partial.chat_id), message, Left(None, {}))
