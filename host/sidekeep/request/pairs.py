"""A tool's call and its result go together: servers refuse one without the other, and then the chat for ever."""

from collections.abc import Sequence
from dataclasses import replace

from sidekeep.request.view import Entry


def paired(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with each result right behind the message that called for it.

    A result nobody called for, a second one to the same call, and a call without a result are left out; an assistant's message
    of which nothing remains is, too.
    """
    if not any(entry.tool_calls or entry.role == "tool" for entry in entries):
        return list(entries)
    results = _results(entries)
    shown: list[Entry] = []
    for index, entry in enumerate(entries):
        if entry.role == "tool":
            continue
        answered = tuple({call.id: call for call in entry.tool_calls if (index, call.id) in results}.values())
        if entry.tool_calls == answered:
            shown.append(entry)
        elif entry.parts or answered:
            shown.append(replace(entry, tool_calls=answered, tokens=None))
        shown += [results[index, call.id] for call in answered]
    return shown


def _results(entries: Sequence[Entry]) -> dict[tuple[int, str], Entry]:
    """The first result to each call, by where the call stands and its id: some models use an id again and again."""
    called: dict[str, int] = {}
    results: dict[tuple[int, str], Entry] = {}
    for index, entry in enumerate(entries):
        if entry.role == "assistant":
            called |= {call.id: index for call in entry.tool_calls}
        elif entry.role == "tool" and entry.tool_call_id in called:
            results.setdefault((called[entry.tool_call_id], entry.tool_call_id), entry)
    return results
