"""bidtrick: reinforcement-learning environments and agents for card games with bidding and tricks."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("bidtrick")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

from .envs.adapters import register_all
from .envs.registry import games, make_batch

# So that `import bidtrick; gym.make("bidtrick/Schieber-v0")` works.
register_all()

__all__ = ["__version__", "games", "make_batch"]
