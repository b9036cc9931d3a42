"""How fast, as a ratio against a rival measured in the same run."""
