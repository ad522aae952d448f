"""The door: which command was meant, and what its end means to the shell. No lint logic."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from pplint import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pplint.finding import Trouble

CLEAN, FINDINGS, TROUBLE, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "check": (
        "pplint.commands.check:check",
        "Report, and with --fix repair, layer ids that a stage may not own.",
    ),
    "rule": ("pplint.commands.rule:rule", "Explain a rule, or list all rules."),
    "readiness": (
        "pplint.commands.readiness:readiness",
        "Show for each model class which pipeline duties it meets, and where the gaps are.",
    ),
    "baseline": ("pplint.commands.baseline:baseline", "Write, prune or show the file of accepted findings."),
    "facts": ("pplint.commands.facts:facts", "Show what was learnt from SGLang's code, and from which line."),
    "config": ("pplint.commands.config:config", "Show each setting and where it came from."),
    "doctor": (
        "pplint.commands.doctor:doctor",
        "Tell whether pplint is at home here, and the next step if not.",
    ),
}
"""Name of each command to where it is and what it does: a command is imported when it is run."""

EPILOG = """`check` is the default: `pplint --fix python/sglang` is `pplint check --fix python/sglang`.
`pplint check --help` lists its options.

Exit codes: 0 clean or all fixed; 1 findings remain; 2 trouble, such as a file that cannot be read;
130 interrupted."""


def _refuse_typo(first: Sequence[str]) -> None:
    """Raise UsageError for a first argument that is no path, but nearly the name of a command."""
    if not first or os.path.lexists(first[0]) or not first[0].isalpha():
        return
    from difflib import get_close_matches

    if near := get_close_matches(first[0], COMMANDS, 1, 0.75):
        raise click.UsageError(
            f"no such command, file or folder: {first[0]}; did you mean the command {near[0]}?"
        )


class Door(click.Group):
    """A group that imports a command when it is needed, and takes `check` where none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` before arguments that name no command."""
        completing = ctx.resilient_parsing and not args  # the word that is typed may name a command
        if not completing and (not args or args[0] not in (*COMMANDS, "--help", "-h", "--version")):
            _refuse_typo(args[:1])
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names, the default one first."""
        return list(COMMANDS)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that a word begins, and the files: `check` is the default."""
        from click.shell_completion import CompletionItem

        return [*super().shell_complete(ctx, incomplete), CompletionItem(incomplete, type="file")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands' names and purposes without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog with its line breaks as they are."""
        formatter.write_paragraph()
        formatter.write(EPILOG + "\n")


@click.group(cls=Door, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pplint", message="%(prog)s %(version)s")
def door() -> None:
    """Find and fix the layer ids that SGLang code takes for granted under pipeline parallelism."""


class Failure(click.ClickException):
    """Trouble that ends the run; the text is for humans."""

    exit_code = TROUBLE

    def show(self, file: object = None) -> None:
        """Print the text on standard error, harmless to a terminal."""
        from pplint.reports.harmless import harmless

        complain(f"error: {harmless(self.message)}")


def complain(text: str) -> None:
    """Print a line for the user on standard error; a closed standard error is nobody's loss."""
    with suppress(OSError, UnicodeError):
        shown = f"pplint: {text}".encode("utf-8", "backslashreplace").decode("utf-8")
        print(shown, file=sys.stderr, flush=True)


def complain_of(troubles: Iterable[Trouble]) -> None:
    """Print what went wrong on standard error, a line each, harmless to a terminal."""
    from pplint.reports.harmless import harmless

    for trouble in troubles:
        line = f":{trouble.line}" if trouble.line else ""
        where = f"{trouble.path}{line}: " if trouble.path else ""
        complain(harmless(f"error: {where}{trouble.message}"))


def run(arguments: Sequence[str]) -> int:
    """Run the command line `arguments` (without the program's name) and return the exit code."""
    if "_PPLINT_COMPLETE" in os.environ:
        door.main(list(arguments), prog_name="pplint")
    if sys.stdout is None:  # it was closed before the start
        complain("error: the standard output is closed")
        return TROUBLE
    if sys.stderr is None:  # nobody wants to hear, which is no trouble
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    try:
        code = _invoke(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough. What is buffered must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    return code


def _unwritable(error: Exception) -> str:
    """What keeps a stream without a name from being written, or "" for any other error."""
    if not isinstance(error, OSError) or error.filename:
        return ""
    return error.strerror or "" if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF) else ""


def _invoke(arguments: list[str]) -> int:
    try:
        with door.make_context("pplint", arguments) as context:
            code = door.invoke(context)
        return code if isinstance(code, int) else CLEAN
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return TROUBLE
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted; every file is either as it was or completely written")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if said := _unwritable(error):
            complain(f"error: the output cannot be written: {said}")
            return TROUBLE
        return _crash(error, verbose=bool({"-v", "--verbose"} & set(arguments)))


def _crash(error: Exception, verbose: bool) -> int:
    """Report a mistake of pplint itself in one line, with its traceback only where details were asked for."""
    from pplint.reports.harmless import harmless

    complain(f"error: internal error: {type(error).__name__}: {harmless(str(error))} (--verbose shows where)")
    if verbose:
        import traceback

        traceback.print_exc()
    return TROUBLE
