"""bidtrick: reinforcement-learning environments and agents for card games with bidding and tricks."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("bidtrick")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

# Importing the registry registers every game with Gymnasium and PettingZoo, so that
# `import bidtrick; gym.make("bidtrick/Schieber-v0")` works.
from .envs.registry import games, make_batch

__all__ = ["__version__", "games", "make_batch"]
