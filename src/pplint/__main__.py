"""The command `pplint`, and `python -m pplint`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        from pplint.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command itself, which has a message for it
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
