"""Which entries and files did the agent use, going by what it did and saw? Entry point: `finding.find`."""
