"""Where browsers look for hosts: a table, a plan made from it, an apply that can undo; and the doctor who follows it."""
