"""How large the windows of models are: what the person, errors, servers and a list say, kept for each model on each server."""

from collections.abc import Sequence
from dataclasses import replace

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.llm.types import ModelInfo
from sidekeep.request.windows import Window, window_of
from sidekeep.store import model_facts
from sidekeep.store.database import Database
from sidekeep.store.model_facts import ModelFacts, ModelKey


class Windows:
    """The windows that one store knows of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, provider: Provider) -> Window:
        """The window of the provider's model, and who says so."""
        with self._database.reading() as tx:
            return _window(provider, model_facts.find(tx, key_of(scope, provider)))

    def refused(self, scope: Scope, provider: Provider, tokens: int) -> None:
        """An error of the server stated the window."""
        key = key_of(scope, provider)
        with self._database.transaction() as tx:
            model_facts.put(tx, key, model_facts.find(tx, key)._replace(learned_window=tokens))

    def answered(self, scope: Scope, provider: Provider, prompt_tokens: int) -> None:
        """The server took a prompt of that size: a smaller window that an error taught is no longer true."""
        key = key_of(scope, provider)
        with self._database.reading() as tx:
            learned = model_facts.find(tx, key).learned_window
        if learned is not None and prompt_tokens > learned:
            with self._database.transaction() as tx:
                model_facts.put(tx, key, model_facts.find(tx, key)._replace(learned_window=None))

    def told(self, scope: Scope, provider: Provider, models: Sequence[ModelInfo]) -> list[ModelInfo]:
        """Keep what a server tells of its models. Returns them with the windows that count, where any but a guess is known.

        A server that tells another window than last time was started anew, and what an error taught before is void.
        """
        with self._database.reading() as tx:
            known = model_facts.everything(tx, scope.namespace)
        shown, changed = [], dict[ModelKey, ModelFacts]()
        for info in models:
            model = provider._replace(model=info.id, window=None)
            key = key_of(scope, model)
            before = known.get(key, ModelFacts())
            facts = _told(before, info.window)
            if facts.server_window != before.server_window:
                changed[key] = facts
            window = _window(model, facts)
            shown.append(info if window.source == "default" else replace(info, window=window.tokens))
        if changed:
            with self._database.transaction() as tx:
                for key, facts in changed.items():
                    model_facts.put(tx, key, facts)
        return shown


def key_of(scope: Scope, provider: Provider) -> ModelKey:
    """What a model is kept under: the server by its address, because a person may rename a provider."""
    return ModelKey(scope.namespace, provider.kind, provider.base_url.rstrip("/"), provider.model)


def _window(provider: Provider, facts: ModelFacts) -> Window:
    return window_of(provider, learned=facts.learned_window, server=facts.server_window)


def _told(before: ModelFacts, window: int | None) -> ModelFacts:
    """A list that says nothing of windows takes nothing away: another address of the same server may have told it."""
    if window is None or window == before.server_window:
        return before
    learned = before.learned_window if before.server_window is None else None
    return before._replace(server_window=window, learned_window=learned)
