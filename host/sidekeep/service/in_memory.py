"""A store in memory beside the person's own: a private window's, or a temporary chat's. It ends with the process or the chat."""

import orjson

from sidekeep.domain.area_keys import GET_ALL_KEYS
from sidekeep.domain.json_value import size_of
from sidekeep.domain.scope import Scope
from sidekeep.service.services import Services
from sidekeep.store import area, model_facts, panel_settings, provider_keys
from sidekeep.store.database import Database

# What it takes over of the area: the light keys, less what belongs to one conversation.
SETTING_KEYS = tuple(key for key in GET_ALL_KEYS if key != "activeSessionId")


def open_beside(services: Services, scope: Scope) -> Services:
    """Services over a store in memory that begins with the person's settings and knows their keys and what was learned of
    models, and nothing else."""
    fresh = Services(Database(None), services.home, services.models, settings=services.settings, clock=services.clock)
    take_settings(fresh, services, scope)
    with services.database.reading() as tx:
        known = model_facts.everything(tx, scope.namespace)
    with fresh.database.transaction() as tx:
        for model, facts in known.items():
            model_facts.put(tx, model, facts)
    return fresh


def take_settings(target: Services, source: Services, scope: Scope) -> None:
    """Have the settings that `source` has now, and know its keys. A temporary chat asks whom the person has chosen since."""
    with source.database.reading() as tx:
        settings = area.get(tx, scope, SETTING_KEYS)
        keys = provider_keys.everywhere(tx, scope.namespace)
        kept = panel_settings.read(tx)
    with target.database.transaction() as tx:
        for key in SETTING_KEYS:
            area.remove(tx, scope, key)
        for key, value in settings.items():
            area.put(tx, scope, key, value, size_of(key, value, orjson.loads(value)))
        for provider, _ in provider_keys.everywhere(tx, scope.namespace):
            provider_keys.remove(tx, scope.namespace, provider)
        for provider, origin in keys:
            provider_keys.add(tx, scope.namespace, provider, origin)
        panel_settings.put(tx, kept.panel)
        panel_settings.put_in_force(tx, kept.in_force)
