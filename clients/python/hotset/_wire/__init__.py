"""The only place where this package meets protobuf: messages to values and values to messages, every field named."""
