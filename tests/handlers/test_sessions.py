"""sessions.* over the wire."""

from pathlib import Path

from tests.support.host import RunningHost


def test_a_search_tells_what_only_the_content_has(tmp_path: Path) -> None:
    with RunningHost(tmp_path / "home") as host:
        host.hello()
        host.request("history.append", message={"role": "user", "content": "Which bird is it?"})
        host.request("history.append", message={"role": "assistant", "content": "A heron: 鷺, also written #12."})
        for query in ("鷺", "HERON", "#12"):
            found = host.request("sessions.list", query=query)
            assert (found["total"], found["archivedMatches"]) == (1, 0)
            (session,) = found["sessions"]
            assert (session["contentMatch"], session["snippet"]) == (True, "A heron: 鷺, also written #12.")
        (session,) = host.request("sessions.list", query="bird")["sessions"]
        assert "contentMatch" not in session
        assert host.request("sessions.list", query="heron", folder="none")["total"] == 0
