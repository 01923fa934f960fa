"""Which providers have a key, and for which origin. The keys themselves are in the key store."""

from sidekeep.store.database import Transaction


def origins(tx: Transaction, namespace: str, provider: str) -> set[str]:
    """The origins that a provider's keys may be sent to."""
    rows = tx.execute("SELECT origin FROM provider_keys WHERE namespace = ? AND provider = ?", (namespace, provider))
    return {origin for (origin,) in rows}


def everywhere(tx: Transaction, namespace: str) -> set[tuple[str, str]]:
    """Every provider with a key, with its origin."""
    rows = tx.execute("SELECT provider, origin FROM provider_keys WHERE namespace = ?", (namespace,))
    return {(provider, origin) for provider, origin in rows}


def add(tx: Transaction, namespace: str, provider: str, origin: str) -> None:
    tx.execute("INSERT OR IGNORE INTO provider_keys VALUES (?, ?, ?)", (namespace, provider, origin))


def remove(tx: Transaction, namespace: str, provider: str) -> None:
    tx.execute("DELETE FROM provider_keys WHERE namespace = ? AND provider = ?", (namespace, provider))
