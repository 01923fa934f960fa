"""Cutting text where a reader sees an edge: between grapheme clusters (Unicode Standard Annex 29)."""

# How far back an edge is looked for. Clusters end where they end, whatever stood before, so beginning inside of one is put right
# at the next edge; only a longer cluster, or a longer run of flags, could be misread.
_LOOK_BACK = 256


def cut(text: str, limit: int) -> str:
    """The longest beginning of `text` of at most `limit` code points that ends between grapheme clusters.

    A cluster that is longer than the limit by itself is cut inside: something has to give.
    """
    if len(text) <= limit:
        return text
    return text[: edge_before(text, limit) or limit]


def cut_start(text: str, limit: int) -> str:
    """The longest end of `text` of at most `limit` code points, in the same way."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    edge = edge_after(text, start)
    return text[edge if edge < len(text) else start :]


def edge_before(text: str, index: int) -> int:
    """The last edge between clusters at or before `index`."""
    start, end = _cluster(text, index)
    return index if end == index else start


def edge_after(text: str, index: int) -> int:
    """The first edge between clusters at or after `index`."""
    return _cluster(text, index)[1]


def _cluster(text: str, index: int) -> tuple[int, int]:
    """Start and end of the cluster that ends at `index` or has it inside."""
    # Between two of these there is always an edge, and most text is made of them: no need to load tables.
    if index in (0, len(text)) or (_stands_alone(text[index - 1]) and _stands_alone(text[index])):
        return index, index
    import regex  # 10 ms

    start = 0
    for cluster in regex.finditer(r"\X", text, pos=max(0, index - _LOOK_BACK)):
        start = cluster.start()
        if cluster.end() >= index:
            return start, cluster.end()
    return index, index


def _stands_alone(character: str) -> bool:
    return " " <= character <= "~" or "\u4e00" <= character <= "\u9fff"
