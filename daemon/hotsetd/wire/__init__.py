"""Messages to values and back, every field by name. The only room of the daemon that knows generated code."""
