"""What belongs to the host rather than to the panel: settings.toml in the data home (docs/protocol.md, SETTINGS)."""
