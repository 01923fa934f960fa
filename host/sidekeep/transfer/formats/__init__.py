"""A module for each program: what a record of it looks like, and how one becomes a conversation. Pure."""
