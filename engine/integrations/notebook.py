"""`%%trace` in a notebook: the cell runs as usual, and a report of one of its steps follows below.

The line is taken out before IPython looks at the cell, so that the cell stays an ordinary one: its output, its last
expression, its exceptions and `await` in it are as they were.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..tracebacks import without_ours

if TYPE_CHECKING:
    from ..recorder.watch import StepWatch

MAGIC = "%%trace"
STEP = 2
"""The step that is shown, where none is asked for: what only exists after one step is seen in it."""


def load(shell: Any) -> None:
    """Teaches an IPython shell the magic."""
    unload(shell)
    one = _Trace(shell)
    shell.input_transformers_cleanup.insert(0, one.take_out)
    shell.events.register("pre_run_cell", one.before)
    shell.events.register("post_run_cell", one.after)
    shell.register_magic_function(one.magic, "cell", MAGIC.lstrip("%"))
    _LOADED[id(shell)] = one


def unload(shell: Any) -> None:
    """Takes it back."""
    one = _LOADED.pop(id(shell), None)
    if one is not None:
        shell.input_transformers_cleanup.remove(one.take_out)
        shell.events.unregister("pre_run_cell", one.before)
        shell.events.unregister("post_run_cell", one.after)
        shell.magics_manager.magics["cell"].pop(MAGIC.lstrip("%"), None)


class _Transformer:
    """Takes the magic's line out of a cell. Completion and the search for an unfinished cell leave it alone."""

    has_side_effects = True

    def __call__(self, lines: list[str]) -> list[str]:
        found = _split("".join(lines))
        if found is None:
            return lines
        given, rest = found
        step_in(given)
        if rest.lstrip().startswith("%%"):
            raise _usage(f"{MAGIC} must be the only magic in its cell; remove {rest.split()[0]}.")
        # A comment in its place: the cell's lines keep their numbers.
        return [f"# {MAGIC} {given}".rstrip() + "\n", *rest.splitlines(keepends=True)]


class _Trace:
    """The magic in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._cell = ""
        self._watch: StepWatch | None = None
        self._asked: int | None = None
        self._exceptions: tuple[Any, Any] = (), None
        self.take_out = _Transformer()

    def before(self, info: Any) -> None:
        """A cell begins."""
        found = _split(info.raw_cell)
        if found is None or self._watch is not None:
            return
        try:
            self.take_out([info.raw_cell])
        except Exception:  # IPython says what is wrong, and runs nothing
            return
        self._asked = step_in(found[0])
        from ..recorder.watch import StepWatch

        shell = self._shell
        self._cell = info.raw_cell
        self._watch = StepWatch(
            self._asked or STEP, "", lambda record: None,
            optimizers=self._optimizers, variables=self._variables, training=True, every=True,
        )  # fmt: skip
        self._exceptions = shell.custom_exceptions, shell.CustomTB
        shell.set_custom_exc((Exception,), _show_as_ever)
        self._watch.start()

    def after(self, result: Any) -> None:
        """A cell has ended."""
        watch = self._watch
        if watch is None or result.info.raw_cell != self._cell:
            return
        self._watch = None
        self._shell.custom_exceptions, self._shell.CustomTB = self._exceptions
        error = result.error_before_exec or result.error_in_exec
        record = watch.last if watch.turns >= (self._asked or STEP) else None
        if record is None and isinstance(error, Exception):
            record = watch.failed(error)
            if record is not None and not record.ran:
                record = None
        elif record is None and error is None:
            record = watch.finish()
            if record is None:
                print("There is no step in this cell: it computes nothing with tensors.")
        watch.stop()
        if record is not None:
            if self._asked is not None and watch.turns < self._asked:
                print(f"The cell ended before step {self._asked}; the last step it made is shown.")
            from IPython.display import display

            from ..recorder.render.html import to_short_html

            display({"text/plain": str(record), "text/html": to_short_html(record)}, raw=True)

    def _variables(self) -> Mapping[str, object]:
        """What the cell's code leads to: a notebook has the variables of all its other cells beside."""
        from ..recorder.capture.names import variables_of

        try:
            code = compile(
                self._shell.transform_cell(self._cell), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            )
        except Exception:
            return {}
        return variables_of(FunctionType(code, self._shell.user_ns))

    def _optimizers(self) -> list[Any]:
        from ..recorder.capture.names import read_names

        return list(read_names(self._variables()).optimizers.values())

    def magic(self, line: str, cell: str) -> None:
        """Record one optimizer step of the cell: `%%trace`, or `%%trace --step 5`.

        The report names the line where the gradient stops, and the parameters that it starves. By default it covers
        the second step, or the first if there is only one; without any step, everything that the cell computes.
        """
        raise _usage(f"{MAGIC} must be the first line of a cell.")


def _show_as_ever(
    shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: int | None = None
) -> None:
    """Shows an exception of the cell without the frames that are there since the cell is recorded."""
    shell.showtraceback((kind, error, without_ours(trace)), tb_offset=tb_offset)


_LOADED: dict[int, _Trace] = {}
"""By the `id` of a shell."""


def step_in(given: str) -> int | None:
    """The step that the magic's line asks for, None where it names none. Raises IPython's `UsageError`."""
    try:
        words = shlex.split(given.replace("=", " "))
    except ValueError:
        words = [given]
    if not words:
        return None
    if len(words) == 2 and words[0] == "--step" and words[1].isdecimal() and 1 <= int(words[1]) <= 1_000:
        return int(words[1])
    raise _usage(f"{MAGIC} takes only --step N, where N is a whole number from 1 to 1000, not {given!r}.")


def _usage(sentence: str) -> Exception:
    """What IPython shows as one sentence."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(sentence)
    return error


def _split(cell: str) -> tuple[str, str] | None:
    """What stands behind the magic's name, and the cell below it; None for a cell without it."""
    first, _, rest = cell.lstrip().partition("\n")
    name, _, given = first.partition(" ")
    return (given.strip(), rest) if name.strip() == MAGIC else None
