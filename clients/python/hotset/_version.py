"""The version of this package; a test holds it equal to the one in `pyproject.toml`."""

VERSION = "0.1.0"
