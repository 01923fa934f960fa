"""The method table: for each method, parse, one service call, shape the reply."""
