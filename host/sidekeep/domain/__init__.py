"""Frozen data and pure rules: what a conversation is. No I/O."""
