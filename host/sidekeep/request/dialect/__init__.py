"""One module for each provider API: how a request is written down."""
