"""All HTTP of the host: model servers, the offline model, and a scripted client that stands in for them in tests.

Nothing is imported here: a host that answers `hello` must not pay for an HTTP client.
"""
