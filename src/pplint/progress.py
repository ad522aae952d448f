"""A bar on standard error for whoever waits at a terminal."""

from __future__ import annotations

import os
import sys
from types import FrameType, TracebackType
from typing import Any

PATIENCE = 1.0
"""Seconds before the bar appears: short runs stay quiet."""
INTERVAL = 0.1
WIDTH = 24


class Progress:
    """Shows that work goes on, from one second after entering until leaving; does nothing unless `wanted`.

    It is moved by a timer signal, not by the work: the engine and its processes need not know of it, and no
    thread is alive when they fork. Without such a signal (Windows, or not the main thread) there is no bar.
    """

    def __init__(self, wanted: bool, text: str = "checking") -> None:
        self.wanted = wanted and sys.stderr.isatty()
        self.text = text
        self.tick = 0
        self._before: Any = None

    def __enter__(self) -> Progress:
        if self.wanted:
            import signal

            try:
                self._before = signal.signal(signal.SIGALRM, self.draw)
                signal.setitimer(signal.ITIMER_REAL, PATIENCE, INTERVAL)
            except (AttributeError, ValueError):
                self.wanted = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.wanted:
            return
        import signal

        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        if self.tick:
            _write("\r" + " " * len(picture(self.text, self.tick)) + "\r")

    def draw(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Draw the next picture; also the handler of the timer signal."""
        _write("\r" + picture(self.text, self.tick))
        self.tick += 1


def _write(text: str) -> None:
    # Not through sys.stderr: the signal may come in the middle of another write to it.
    os.write(sys.stderr.fileno(), text.encode("ascii", "replace"))


def picture(text: str, tick: int) -> str:
    """Return the bar `tick` tenths of a second after it appeared; all pictures have the same width."""
    place = tick % (2 * WIDTH)
    place = min(place, 2 * WIDTH - place)
    return f"pplint: {text} [{'.' * place}###{'.' * (WIDTH - place)}] {tick * INTERVAL + PATIENCE:6.0f} s"
