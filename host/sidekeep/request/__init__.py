"""What the model is shown: a pure function of stored rows and settings. No I/O, no clock, no randomness."""
