"""Games, their shared core, and the adapters to other libraries."""

from .registry import games, make_batch, replay

__all__ = ["games", "make_batch", "replay"]
