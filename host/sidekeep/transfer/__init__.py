"""Readers and writers of exports: other programs' files, the transcripts of the file era, and Sidekeep's own.

To read it in order: `reading.py` (a path becomes conversations), `formats/` (a module for each program), `conversation.py`
(what all of them give). No store and no wire: what becomes of a conversation is the service's business.
"""
