"""How does it live as a process? The only room that knows gRPC, asyncio, configuration and signals."""

__version__ = "0.1.0"
PROTOCOL = "hotset.v1"
