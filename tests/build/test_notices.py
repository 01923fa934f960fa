"""THIRD_PARTY_NOTICES.md is what the locks and the packages say today."""

from tasks import notices


def test_the_notices_are_current() -> None:
    assert notices.TARGET.read_text(encoding="utf-8") == notices.render(), "run `python3 build.py notices`"


def test_every_locked_package_is_named_with_a_licence() -> None:
    text = notices.TARGET.read_text(encoding="utf-8")
    rows = dict(notices.licences_in(text))
    assert [name for name, _ in notices.locked() if rows.get(name) in (None, "", "see the package")] == []
