"""What models' own counts taught is kept: for the model on its server, and for each message as it was."""

from pathlib import Path

import orjson
import pytest
from tests.support.stores import OWN, STRANGER, open_services, say

from sidekeep.domain.chat import SessionId
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.request.calibration import FIXED, Answer, Calibration, Counted
from sidekeep.service.services import Services
from sidekeep.store import entries

MODEL = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")
PARTS = {FIXED: 10, "a": 100, "b": 400}


def _session(services: Services) -> SessionId:
    with services.database.reading() as tx:
        own = entries.live(tx, OWN)
        assert own is not None
        return own.session_id


def _known(services: Services, scope: Scope = OWN, model: Provider = MODEL) -> Calibration:
    return services.calibrations.of(scope, model, _session(services))


def _say(services: Services, *ids: str) -> None:
    for name in ids:
        services.conversation.append(OWN, say(name, id=name))


def _learn(services: Services) -> Calibration:
    """Of a conversation of three messages, the last an answer."""
    _say(services, "a", "b", "c")
    before = _known(services)
    learned = before.learn(PARTS, 612, answer=Answer("c", Counted(50, 55)))
    services.calibrations.keep(OWN, MODEL, _session(services), before, learned)
    return learned


def test_what_was_learned_outlives_the_host(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services)
    with open_services(tmp_path) as services:
        known = _known(services)
    assert known == learned
    assert known.predict(PARTS) == 612


@pytest.mark.parametrize("other", [MODEL._replace(model="other"), MODEL._replace(base_url="http://127.0.0.1:8/v1")])
def test_another_model_or_server_has_learned_nothing(tmp_path: Path, other: Provider) -> None:
    with open_services(tmp_path) as services:
        _learn(services)
        assert _known(services, model=other) == Calibration()
        assert _known(services, scope=STRANGER) == Calibration()


def test_a_new_conversation_has_the_factor_and_what_the_server_adds(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services)
        services.conversation.clear(OWN)
        _say(services, "a")
        assert _known(services) == Calibration(learned.factor, {FIXED: learned.counted[FIXED]})


def test_a_conversation_that_lost_its_beginning_keeps_the_counts_of_the_rest(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        learned = _learn(services)
        services.conversation.remove(OWN, "a")
        assert _known(services).counted == {name: count for name, count in learned.counted.items() if name != "a"}


def test_an_edited_message_is_another_one(tmp_path: Path) -> None:
    with open_services(tmp_path) as services:
        _learn(services)
        (*rest, last) = orjson.loads(services.area.get(OWN, ["history"])["history"])
        services.area.set(OWN, {"history": [*rest, last | {"content": "C"}]})
        assert _known(services).counted.keys() == {FIXED, "a", "b"}


def test_nothing_learned_is_nothing_written(tmp_path: Path) -> None:
    other = MODEL._replace(model="other")
    with open_services(tmp_path) as services:
        known = _learn(services)
        services.calibrations.keep(OWN, other, _session(services), known, known.learn(PARTS, 0))
        assert _known(services, model=other) == Calibration()
