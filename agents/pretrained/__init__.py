"""Trained agents that come with the package, by name and game: `pretrained/<game>/<name>/` holds each of them.

A folder is what `bidtrick export` writes: model.safetensors (the policy's layers), meta.json (what it is, which presets
it plays, its results) and CARD.md (the model card). `store` finds them without torch, `load` plays them.
"""

from .store import NAMES, Shipped, find, shipped

__all__ = ["NAMES", "Shipped", "find", "shipped"]
