"""A store with a little of everything that a person keeps."""

from typing import Any

from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, chat_ids, plain, say

from sidekeep.service.services import Services

USAGE = {"promptTokens": 3, "completionTokens": 2}


def _look(text: str, data: bytes) -> dict[str, Any]:
    return say("", content=[{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url_of(data)}}])


def fill(services: Services) -> None:
    """Chats with pictures, folders, pins, branches, a checkpoint, archives, two profiles, bodies set through the area."""
    chart = picture(40, 30, noisy=True)
    for topic in ("Tides", "Knots", "Sails"):
        scope = OTHER_PROFILE if topic == "Sails" else OWN
        services.conversation.clear(scope)
        for number in range(4):
            services.conversation.append(scope, say(f"{topic}? {number} 日本"))
            services.conversation.append(scope, say(f"{topic}. {number}" * 20, role="assistant", usage=USAGE))
        services.conversation.append(scope, _look(f"{topic} chart", chart))
    tides, knots, *_ = sorted(chat_ids(services))
    folder = services.folders.create(OWN, "Water")
    hidden = services.folders.create(OWN, "Secret")
    services.folders.exclude(OWN, hidden.id, excluded=True)
    services.chats.move(OWN, tides, folder.id)
    services.chats.pin(OWN, knots, pinned=True)
    services.chats.branch(OWN, knots, plain(services.chats.get(OWN, knots, "none")[2])[2]["id"])
    services.checkpoints.compact(OWN, tides, "They spoke of water.")
    services.chats.save(OWN, "Snapshot")
    gone = services.chats.save(OWN, "Gone")[0]
    services.conversation.truncate(OWN, plain(services.conversation.get(OWN, "none")[0])[3]["id"], inclusive=True)
    services.chats.delete(OWN, [gone.id])
    services.area.set(
        OWN, {"session_bare": [{"role": "user", "content": "no id, no time"}, _look("set", picture(2, 2))]}
    )
