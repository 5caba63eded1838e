"""Which ways of finding are there? One file each, and what they all keep to."""
