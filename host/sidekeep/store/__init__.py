"""What the host keeps: all SQL, one module a noun. Rows leave as frozen dataclasses, foreign errors as errors.StoreFailed."""
