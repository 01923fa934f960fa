"""One module for each model API: where it is reached, and how its answers are read. They mirror request/dialect."""
