"""Which pictures go out as pixels, as thumbnails, as labels."""

from hypothesis import given
from hypothesis import strategies as st

from sidekeep.request.pictures import PictureLimits, body_bytes, pictured
from sidekeep.request.view import Entry, Image, Text

MB = 1024 * 1024


def _image(name: int, size: int = 3 * MB, thumbnail: int = 20_000) -> Image:
    return Image(sha256=b"%d" % name, width=2000, height=1000, size=size, thumbnail_size=thumbnail)


def _asks(number: int, *images: Image, seen: bool = False) -> Entry:
    return Entry(f"m{number}", "user", (Text("look"), *images), images_seen=seen)


def _forms(entries: list[Entry]) -> list[str]:
    """How each picture goes out: P pixels, t thumbnail, L label."""
    found = []
    for entry in entries:
        images = [part for part in entry.parts if isinstance(part, Image)]
        found.append("L" * entry.labels + "".join("t" if image.thumbnail else "P" for image in images))
    return found


def test_seen_pictures_are_labels_and_others_are_pixels() -> None:
    assert _forms(pictured([_asks(1, _image(1), seen=True), _asks(2, _image(2))], PictureLimits())) == ["L", "P"]


def test_a_model_without_eyes_gets_labels() -> None:
    assert _forms(pictured([_asks(1, _image(1))], PictureLimits(), accepts_pictures=False)) == ["L"]


def test_too_many_bytes_of_pixels_make_the_oldest_thumbnails_and_spare_the_newest_entry() -> None:
    waiting = [_asks(n, _image(n)) for n in range(4)]
    assert _forms(pictured(waiting, PictureLimits())) == ["t", "t", "P", "P"]
    assert _forms(pictured([_asks(1, _image(1)), _asks(2, *(_image(n) for n in range(5)))], PictureLimits())) == [
        "t",
        "PPPPP",
    ]
    assert _forms(pictured(waiting, PictureLimits(waiting_bytes=64 * MB))) == ["P", "P", "P", "P"]


def test_exactly_the_budget_is_no_excess() -> None:
    assert _forms(pictured([_asks(n, _image(n, 4 * MB)) for n in range(2)], PictureLimits())) == ["P", "P"]
    assert _forms(pictured([_asks(n, _image(n, 4 * MB + n)) for n in range(2)], PictureLimits())) == ["t", "P"]


def test_seen_pictures_cost_nothing() -> None:
    entries = [_asks(1, _image(1), _image(2), seen=True), _asks(2, _image(3)), _asks(3, _image(4))]
    assert _forms(pictured(entries, PictureLimits())) == ["LL", "P", "P"]


def test_what_has_no_thumbnail_stays_as_it_is() -> None:
    waiting = [_asks(1, _image(1, 9 * MB, thumbnail=0)), _asks(2, _image(2)), _asks(3, _image(3))]
    assert _forms(pictured(waiting, PictureLimits())) == ["P", "t", "P"]


def test_of_too_many_pictures_the_oldest_are_labels() -> None:
    waiting = [_asks(1, _image(1, 10)), _asks(2, _image(2, 10), _image(3, 10)), _asks(3, _image(4, 10))]
    assert _forms(pictured(waiting, PictureLimits(most=2))) == ["L", "LP", "P"]
    assert _forms(pictured(waiting, PictureLimits(most=0))) == ["L", "LL", "L"]


def test_a_body_that_is_too_large_has_thumbnails_then_labels_and_the_newest_as_thumbnails_at_last() -> None:
    waiting = [_asks(n, _image(n)) for n in range(3)]
    for limit, forms in ((16 * MB, "PPP"), (5 * MB, "ttP"), (4_230_000, "LtP"), (4_200_000, "LLP"), (100_000, "LLt")):
        shown = pictured(waiting, PictureLimits(waiting_bytes=64 * MB, body_bytes=limit))
        assert "".join(_forms(shown)) == forms, limit


@given(
    sizes=st.lists(st.lists(st.integers(1, 4 * MB), max_size=3), max_size=6),
    most=st.none() | st.integers(0, 5),
    body=st.integers(0, 20 * MB),
)
def test_limits_are_kept_and_no_picture_is_lost(sizes: list[list[int]], most: int | None, body: int) -> None:
    entries = [_asks(i, *(_image(n, size, size // 50) for n, size in enumerate(of))) for i, of in enumerate(sizes)]
    shown = pictured(entries, PictureLimits(most, body_bytes=body))
    sent = [part for entry in shown for part in entry.parts if isinstance(part, Image)]
    assert [e.labels + e.images for e in shown] == [len(of) for of in sizes]
    assert most is None or len(sent) <= most
    newest = next((len(of) for of in reversed(sizes) if of), 0)
    assert sum(map(body_bytes, sent)) <= body or len(sent) <= newest
