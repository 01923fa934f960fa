"""Use cases. They know the store, the request side and the models, and nothing of JSON-RPC."""
