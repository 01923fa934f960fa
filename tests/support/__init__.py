"""What several rooms' tests share: real processes and real files, driven with bounded waits."""
