"""The doctor: goes the way a browser goes from its own start to the host's first answer, and says where it breaks off."""
