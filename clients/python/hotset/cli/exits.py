"""The statuses that the command ends with."""

OK = 0
ERROR = 1
"""Something failed; standard error says what and what to do."""
USAGE = 2
"""The arguments make no sense."""
OVER_BUDGET = 3
"""Pins and what results must have exceed the budget; nothing was lost."""
INTERRUPTED = 130
"""Ctrl-C, as shells count it."""
