"""Which words of a text speak against a claim? Cues without a language model: they order, and judge nothing."""
