"""The window of human mode, and what rendering asks of the machine it runs on."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from rendering_scenes import pitch_five, schieber_trick

from bidtrick.envs.rendering import MissingRenderDependencyError, TableWindow, render_rgb


def test_window_opens_lazily_shows_and_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = TableWindow(size=(480, 320), fps=0)
    assert not window.is_open
    assert window.show(schieber_trick())
    assert window.is_open
    assert pygame.display.get_surface().get_size() == (480, 320)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, render_rgb(schieber_trick(), size=(480, 320)))
    window.close()
    window.close()
    assert not window.is_open
    assert window.show(pitch_five())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.show(pitch_five())
    assert window.closed_by_user
    assert not window.is_open
    assert not window.show(pitch_five())
    assert not window.is_open


def test_window_keeps_the_frame_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = TableWindow(size=(240, 160), fps=20)
    window.show(schieber_trick())
    start = time.monotonic()
    for _ in range(4):
        window.show(schieber_trick())
    window.close()
    assert time.monotonic() - start > 0.14
    with pytest.raises(ValueError, match="fps"):
        TableWindow(fps=-1)


def run_python(code: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "DISPLAY")}
    environment["PYTHONPATH"] = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_neither_pygame_nor_rich_and_pictures_need_no_display() -> None:
    out = run_python(
        "import sys, bidtrick.envs.rendering as r\n"
        "assert 'pygame' not in sys.modules and 'rich' not in sys.modules\n"
        "from rendering_scenes import schieber_trick\n"
        "r.render_rgb(schieber_trick())\n"
        "import pygame; assert not pygame.display.get_init()\n"
    )
    assert out == ""  # no greeting either


@pytest.mark.parametrize(("module", "call"), [("pygame", "r.render_rgb(s)"), ("rich", "r.render_ansi(s)")])
def test_missing_dependency_is_named(module: str, call: str) -> None:
    out = run_python(
        f"import sys; sys.modules[{module!r}] = None\n"
        "import bidtrick.envs.rendering as r\n"
        "s = r.Scene('t', (r.SeatScene('a'), r.SeatScene('b')))\n"
        f"try: {call}\n"
        "except r.MissingRenderDependencyError as e: print(e)\n"
    )
    assert module in out
    assert "bidtrick[render]" in out
    assert issubclass(MissingRenderDependencyError, ImportError)
