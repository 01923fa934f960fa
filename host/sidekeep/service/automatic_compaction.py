"""Compactions that nobody asked for: only where the person has switched them on (`compact.automatic`)."""

import asyncio
from collections.abc import Callable

from sidekeep import logs
from sidekeep.domain.chat import ChatId
from sidekeep.domain.scope import Scope
from sidekeep.errors import SidekeepError
from sidekeep.request.build import Report
from sidekeep.request.compaction import is_due
from sidekeep.service.compacting import Compacting

# After a try the chat must have grown by this much before the next one: else a chat whose fixed part fills the window, or whose
# model cannot write a summary, would be tried after every answer.
_GROWN_PERCENT = 10


class AutomaticCompaction:
    """Summarises a chat in the background after an answer, once it fills its window. Belongs to one event loop."""

    def __init__(self, compacting: Callable[[], Compacting], is_on: Callable[[], bool]) -> None:
        self._compacting = compacting
        self._is_on = is_on
        self._tried: dict[tuple[str, ChatId], int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def answered(self, scope: Scope, chat_id: ChatId, report: Report) -> None:
        """An answer was written into that chat, to a request with that report."""
        size = report.estimated_tokens + report.chars_dropped // 4
        tried = self._tried.get((scope.namespace, chat_id), 0)
        if not chat_id or not self._is_on() or not is_due(report) or size * 100 < tried * (100 + _GROWN_PERCENT):
            return
        self._tried[scope.namespace, chat_id] = size
        task = asyncio.create_task(self._compact(scope, chat_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Give up what is under way: nothing was changed yet."""
        for task in self._tasks:
            task.cancel()

    async def _compact(self, scope: Scope, chat_id: ChatId) -> None:
        try:
            await self._compacting().compact(scope, chat_id)
        except SidekeepError as failure:
            logs.info("an automatic compaction changed nothing: %s", failure.kind)
        except Exception as exc:
            logs.unexpected("automatic compaction", exc)
