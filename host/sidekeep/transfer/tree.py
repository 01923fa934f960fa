"""Conversations that are trees: the path to the current leaf, and every other branch as a path of its own.

Links in real files are incomplete: parents that are not there, children that nobody lists, cycles.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sidekeep.errors import Unreadable


@dataclass(frozen=True, slots=True)
class Node:
    """A message's place. `parent` "" is none; `parent_known` is False where the file does not say, or says nonsense."""

    id: str
    parent: str = ""
    children: tuple[str, ...] = ()
    at_ms: int | None = None
    parent_known: bool = True


@dataclass(frozen=True, slots=True)
class Ways:
    """`main` leads to the current leaf. `others` are the ways to the other leaves, each with the first node that is its own."""

    main: tuple[str, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unreachable: tuple[str, ...] = ()


def ways(nodes: Sequence[Node], current: str) -> Ways:
    """All ways through the tree. Without a current node: to the newest leaf. Raises Unreadable for a cycle on the main way."""
    if not nodes:
        return Ways(())
    if not all(node.id for node in nodes):
        raise Unreadable("One of its messages has an empty id.")
    parents = _parents(nodes)
    children = _children(nodes, parents)
    if current not in parents:
        current = _newest_leaf(nodes, children)
    main = _way_to(_leaf_below(current, children), parents)
    reached: set[str] = set()
    others: list[tuple[str, tuple[str, ...]]] = []
    seen = set(main)
    for leaf in _leaves_in_order(children, reached):
        way = _way_to(leaf, parents)
        own = next((node for node in way if node not in seen), None)
        if own is not None:
            others.append((own, way))
            seen.update(way)
    return Ways(main, tuple(others), tuple(node.id for node in nodes if node.id not in reached and node.id not in seen))


def _parents(nodes: Sequence[Node]) -> dict[str, str]:
    """Each node's parent: the one it names, else the one that lists it, else the one that came before it in time."""
    known = {node.id for node in nodes}
    listed = {child: node.id for node in reversed(nodes) for child in node.children}
    parents: dict[str, str] = {}
    lost: list[Node] = []
    for node in nodes:
        parents[node.id] = node.parent if node.parent in known else ""
        if not parents[node.id] and (not node.parent_known or node.parent):
            parents[node.id] = listed.get(node.id, "")
            if not parents[node.id]:
                lost.append(node)
    for node in lost:
        parents[node.id] = _before(node, nodes, parents)
    return parents


def _before(lost: Node, nodes: Sequence[Node], parents: Mapping[str, str]) -> str:
    """The newest node that is older than `lost` and does not come from it."""
    at_ms = lost.at_ms
    if at_ms is None:
        return ""
    older = [(node.at_ms, node.id) for node in nodes if node.at_ms is not None and node.at_ms < at_ms]
    found = max(older, default=(0, ""))[1]
    return "" if _comes_from(found, lost.id, parents) else found


def _comes_from(node: str, ancestor: str, parents: Mapping[str, str]) -> bool:
    seen: set[str] = set()
    while node and node not in seen:
        if node == ancestor:
            return True
        seen.add(node)
        node = parents[node]
    return False


def _children(nodes: Sequence[Node], parents: Mapping[str, str]) -> dict[str, list[str]]:
    """The children of each node, and of "" the roots: by time, those without one as they stand."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(parents[node.id], []).append(node)
    return {parent: [node.id for node in in_time(children)] for parent, children in found.items()}


Timed = TypeVar("Timed", bound=Node)


def in_time(nodes: Sequence[Timed]) -> list[Timed]:
    """Ordered by time; a node without one stays behind the one before it."""
    keyed: list[tuple[int, int, Timed]] = []
    last = 0
    for position, node in enumerate(nodes):
        last = node.at_ms if node.at_ms is not None else last
        keyed.append((last, position, node))
    return [node for _, _, node in sorted(keyed, key=lambda each: each[:2])]


def _newest_leaf(nodes: Sequence[Node], children: Mapping[str, list[str]]) -> str:
    leaves = [node for node in nodes if node.id not in children]
    if not leaves:
        raise Unreadable("Its messages form a cycle: each is the answer to another, and none is the first.")
    return max(enumerate(leaves), key=lambda each: (each[1].at_ms or 0, each[0]))[1].id


def _leaf_below(node: str, children: Mapping[str, list[str]]) -> str:
    """Where the conversation goes on behind its current node: to the newest answer each time."""
    seen: set[str] = set()
    while node in children and node not in seen:
        seen.add(node)
        node = children[node][-1]
    return node


def _way_to(leaf: str, parents: Mapping[str, str]) -> tuple[str, ...]:
    way: list[str] = []
    seen: set[str] = set()
    node = leaf
    while node:
        if node in seen:
            raise Unreadable("Its messages form a cycle: each is the answer to another, and none is the first.")
        seen.add(node)
        way.append(node)
        node = parents[node]
    return tuple(reversed(way))


def _leaves_in_order(children: Mapping[str, list[str]], reached: set[str]) -> Iterator[str]:
    """Every leaf below a root, older branches first, so that a branch keeps its name when it grows. `reached` takes all nodes."""
    waiting = list(reversed(children.get("", [])))
    while waiting:
        node = waiting.pop()
        reached.add(node)
        below = children.get(node)
        if below:
            waiting.extend(reversed(below))
        else:
            yield node
