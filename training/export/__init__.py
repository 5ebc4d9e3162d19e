"""Turning a run into an agent that others can play: a small folder with a model card.

`export` leads through it, `measure` plays it against fixed opponents, `history` finds out how it was trained, `card`
writes the model card.
"""

from .export import ExportConfig, Exported, export

__all__ = ["ExportConfig", "Exported", "export"]
