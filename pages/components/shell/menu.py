"""The pages, found by being there: each says in its own file what the menu and Home show of it.

A page's docstring is what Home says of it, after its title ("Data flow: one step, stage by stage."); the arguments
of its `open_page` are its title, its `place` in the menu and whether it `shows_run`; a page that calls `predict_first`
asks for a prediction. The files are read here and not run: a page runs when it
is opened.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[3]
HOME = "streamlit_app.py"


@dataclass(frozen=True)
class PageFile:
    """One page: its file from the app's folder, its title, and what it shows in a sentence."""

    path: str
    title: str
    about: str
    place: int
    shows_run: bool
    predicts: bool

    @property
    def address(self) -> str:
        """What follows the app's address in a link to it."""
        return "" if self.path == HOME else Path(self.path).stem


def _read(file: Path) -> PageFile:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = {
        node.func.id: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    opened = calls["open_page"]
    given = {word.arg: word.value for word in opened.keywords}
    about = (ast.get_docstring(tree) or "").partition(": ")[2]
    return PageFile(
        path=str(file.relative_to(_ROOT)),
        title=ast.literal_eval(opened.args[0]),
        about=about[:1].upper() + about[1:],
        place=int(ast.literal_eval(given["place"])) if "place" in given else 0,
        shows_run=bool(ast.literal_eval(given["shows_run"])) if "shows_run" in given else True,
        predicts="predict_first" in calls,
    )


PAGES = tuple(
    sorted(
        map(_read, [_ROOT / HOME, *(_ROOT / "pages").glob("*.py")]),
        key=lambda page: (page.path != HOME, page.place, page.path),
    )
)
"""Every page in the order of the menu, Home first."""
