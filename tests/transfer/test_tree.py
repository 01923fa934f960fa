"""Trees of messages: the way to the current leaf, and every other way once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.errors import Unreadable
from sidekeep.transfer.tree import Node, ways


def _tree(*links: str) -> list[Node]:
    """Nodes as "child<parent@time"."""
    nodes = []
    for link in links:
        name, _, rest = link.partition("<")
        parent, _, at = rest.partition("@")
        nodes.append(Node(name, parent, at_ms=int(at) if at else None, parent_known=parent != "?"))
    return nodes


CASES: list[tuple[str, list[Node], str, str, list[str]]] = [
    ("a line", _tree("a<", "b<a", "c<b"), "c", "abc", []),
    ("a fork: the current leaf counts", _tree("a<", "b<a@1", "c<a@2"), "b", "ab", ["ac"]),
    ("a fork without a current leaf: the newest", _tree("a<", "b<a@1", "c<a@2"), "", "ac", ["ab"]),
    ("a current leaf that is not there", _tree("a<", "b<a@1", "c<a@2"), "gone", "ac", ["ab"]),
    ("no times: the last that stands there", _tree("a<", "b<a", "c<a"), "", "ac", ["ab"]),
    ("a current node that has answers", _tree("a<", "b<a@1", "c<b@2", "d<b@3"), "b", "abd", ["abc"]),
    ("two roots", _tree("a<@1", "b<@2"), "", "b", ["a"]),
    ("an unknown parent: what came before", _tree("a<@1", "b<a@2", "c<?@3"), "", "abc", []),
    ("a parent that is not there: what came before", _tree("a<@1", "b<gone@2"), "", "ab", []),
    ("branches of a branch", _tree("a<", "b<a@1", "c<a@2", "d<b@3", "e<b@4"), "c", "ac", ["abd", "abe"]),
]


@pytest.mark.parametrize(
    ("nodes", "current", "main", "others"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_ways(nodes: list[Node], current: str, main: str, others: list[str]) -> None:
    found = ways(nodes, current)
    assert "".join(found.main) == main
    assert ["".join(way) for _, way in found.others] == others


@pytest.mark.parametrize(
    "nodes", [_tree("a<b", "b<a"), _tree("a<a"), _tree("a<", "b<c", "c<b")], ids=["two", "one", "beside"]
)
def test_a_cycle_on_the_way_to_the_current_leaf_is_refused(nodes: list[Node]) -> None:
    with pytest.raises(Unreadable, match="cycle"):
        ways(nodes, nodes[-1].id)


def test_a_cycle_beside_the_chat_is_told_as_unreachable() -> None:
    found = ways(_tree("a<", "b<a", "c<d", "d<c"), "b")
    assert (found.main, found.others, found.unreachable) == (("a", "b"), (), ("c", "d"))


def test_a_child_that_only_its_parent_lists_is_found() -> None:
    nodes = [Node("a", children=("b",)), Node("b", parent_known=False)]
    assert ways(nodes, "b").main == ("a", "b")


def test_a_branch_keeps_its_name_when_it_grows() -> None:
    before = _tree("a<", "b<a@1", "c<a@2", "d<a@3")
    after = [*before, *_tree("e<b@9")]
    assert [own for own, _ in ways(before, "d").others] == [own for own, _ in ways(after, "d").others] == ["b", "c"]


@given(st.lists(st.integers(-1, 30), min_size=1, max_size=30), st.integers(0, 40))
def test_every_node_is_on_some_way_or_told_as_unreachable(parents: list[int], current: int) -> None:
    nodes = [Node(str(number), str(parent) if parent >= 0 else "") for number, parent in enumerate(parents)]
    try:
        found = ways(nodes, str(current))
    except Unreadable:
        return
    reached = {node for way in (found.main, *(way for _, way in found.others)) for node in way}
    assert reached | set(found.unreachable) == {node.id for node in nodes}
    assert reached.isdisjoint(found.unreachable)


def test_a_long_chain_and_a_wide_fork_take_no_recursion() -> None:
    chain = [Node(str(number), str(number - 1) if number else "") for number in range(20_000)]
    assert len(ways(chain, "").main) == 20_000
    fork = [Node("root"), *(Node(f"leaf {number}", "root") for number in range(20_000))]
    assert len(ways(fork, "").others) == 19_999
