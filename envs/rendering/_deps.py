"""Optional dependencies, imported at the first drawing: training machines need neither pygame nor rich."""

from __future__ import annotations

import importlib
import os
from types import ModuleType


class MissingRenderDependencyError(ImportError):
    """A package that only rendering needs is not installed."""


def require(module: str) -> ModuleType:
    """Import `module`.

    Raises:
        MissingRenderDependencyError: it is not installed; the message says what to install.
    """
    if module.partition(".")[0] == "pygame":
        # pygame greets on stdout at import, which would end up in piped output of the command line.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise MissingRenderDependencyError(
            f"rendering needs {name}, which is not installed; "
            "install it with: pip install 'bidtrick[render]'",
            name=name,
        ) from error
