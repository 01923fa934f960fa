"""`sidekeep mcp`: other programs on this machine may search and read conversations, where a person adds it to their client."""
