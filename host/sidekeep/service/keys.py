"""Keys of model servers: kept for the origin they were entered for, and sent nowhere else."""

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams
from sidekeep.store import provider_keys
from sidekeep.store.database import Database
from sidekeep.store.secrets import SecretStore


class Keys:
    """One store's keys. The database knows that there is one and where it may go; the key store has the key."""

    def __init__(self, database: Database, secrets: SecretStore) -> None:
        self._database = database
        self._secrets = secrets

    def put(self, scope: Scope, provider: Provider, api_key: str) -> None:
        """Keep a key for the provider's origin; older keys of the provider are forgotten. Raises InvalidParams, StoreFailed."""
        key = api_key.strip()
        if not provider.origin:
            raise InvalidParams.at("provider", "a key needs a base URL to belong to; set the provider's base URL first")
        if not key or not key.isprintable() or not key.isascii():
            raise InvalidParams.at("apiKey", "a key is one line of plain characters; copy it again")
        if self._database.path is None:
            raise InvalidParams.at("apiKey", "keys cannot be saved in a private window; save it in a normal one")
        self._forget(scope, provider.name)
        self._secrets.put(_name(scope, provider.name, provider.origin), key)
        with self._database.transaction() as tx:
            provider_keys.remove(tx, scope.namespace, provider.name)
            provider_keys.add(tx, scope.namespace, provider.name, provider.origin)

    def clear(self, scope: Scope, name: str) -> None:
        """Forget a provider's keys; in a private window until it closes, because it must not change what stays."""
        if self._database.path is not None:
            self._forget(scope, name)
        with self._database.transaction() as tx:
            provider_keys.remove(tx, scope.namespace, name)

    def get(self, scope: Scope, provider: Provider) -> str | None:
        """The key that may be sent to the provider's origin."""
        with self._database.reading() as tx:
            known = provider.origin in provider_keys.origins(tx, scope.namespace, provider.name)
        return self._secrets.get(_name(scope, provider.name, provider.origin)) if known else None

    def _forget(self, scope: Scope, name: str) -> None:
        with self._database.reading() as tx:
            origins = provider_keys.origins(tx, scope.namespace, name)
        for origin in origins:
            self._secrets.remove(_name(scope, name, origin))


def _name(scope: Scope, provider: str, origin: str) -> str:
    return f"{scope.namespace}/{provider}@{origin}"
