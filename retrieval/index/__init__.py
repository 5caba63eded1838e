"""Which sensors point at records? Files that can be deleted and are rebuilt from the store."""
