"""What models' own counts taught is kept: for the model on its server, and for each message as it was."""

from pathlib import Path

import orjson
import pytest
from tests.support.stores import OWN, STRANGER, open_services, say

from sidekeep.domain.providers import Provider
from sidekeep.request.calibration import FIXED, Answer, Calibration, Counted
from sidekeep.service.services import Services
from sidekeep.store import entries, transcripts

MODEL = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")
PARTS = {FIXED: 10, "a": 100, "b": 400}


def _rows(services: Services) -> dict[str, int]:
    """The live conversation's rows by message id."""
    with services.database.reading() as tx:
        own = entries.live(tx, OWN)
        assert own is not None
        return {message.message_id: message.message_pk for message in transcripts.messages(tx, own.session_id)}


def _learn(services: Services, rows: dict[str, int]) -> Calibration:
    before = services.calibrations.of(OWN, MODEL, rows)
    learned = before.learn(PARTS, 612, answer=Answer("c", Counted(50, 55)))
    services.calibrations.keep(OWN, MODEL, before, learned, rows)
    return learned


def _say(services: Services, *ids: str) -> dict[str, int]:
    for name in ids:
        services.conversation.append(OWN, say(name, id=name))
    return _rows(services)


def test_what_was_learned_outlives_the_host(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services, _say(services, "a", "b", "c"))
    with open_services(tmp_path) as services:
        known = services.calibrations.of(OWN, MODEL, _rows(services))
    assert known == learned
    assert known.predict(PARTS) == 612


@pytest.mark.parametrize("other", [MODEL._replace(model="other"), MODEL._replace(base_url="http://127.0.0.1:8/v1")])
def test_another_model_or_server_has_learned_nothing(tmp_path: Path, other: Provider) -> None:
    with open_services(tmp_path) as services:
        rows = _say(services, "a", "b", "c")
        _learn(services, rows)
        assert services.calibrations.of(OWN, other, rows) == Calibration()
        assert services.calibrations.of(STRANGER, MODEL, rows) == Calibration()


def test_a_new_conversation_has_the_factor_and_what_the_server_adds(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services, _say(services, "a", "b", "c"))
        services.conversation.clear(OWN)
        known = services.calibrations.of(OWN, MODEL, _say(services, "a"))
    assert known == Calibration(learned.factor, {FIXED: learned.counted[FIXED]})


def test_a_conversation_that_lost_its_beginning_keeps_the_counts_of_the_rest(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services, _say(services, "a", "b", "c"))
        services.conversation.remove(OWN, "a")
        known = services.calibrations.of(OWN, MODEL, _rows(services))
    assert known.counted == {name: count for name, count in learned.counted.items() if name != "a"}


def test_an_edited_message_is_another_one(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        _learn(services, _say(services, "a", "b", "c"))
        (*rest, last) = orjson.loads(services.area.get(OWN, ["history"])["history"])
        services.area.set(OWN, {"history": [*rest, last | {"content": "C"}]})
        assert services.calibrations.of(OWN, MODEL, _rows(services)).counted.keys() == {FIXED, "a", "b"}


def test_nothing_learned_is_nothing_written(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        rows = _say(services, "a", "b", "c")
        known = _learn(services, rows)
        services.calibrations.keep(OWN, MODEL._replace(model="other"), known, known.learn(PARTS, 0), rows)
        assert services.calibrations.of(OWN, MODEL._replace(model="other"), rows) == Calibration()
