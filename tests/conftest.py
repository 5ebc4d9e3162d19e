"""Paths for the oracles in tests/reference, which are plain modules and no part of the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
