"""The rooms of the house and what each may import: read from top to bottom, imports run downwards only.

`records`, `locators`, `settings`, `errors`, `choices`, `tables` and `text` are open to all rooms above them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "kb_pipeline"
COMMON = {"records", "locators", "settings", "errors", "choices", "tables", "text"}
SHELL = {"definitions", "assets", "orchestration"}  # the rooms that know Dagster

# a room, and the rooms below it that it uses; what is not listed is not allowed
ROOMS = {
    # what people call
    "cli": {"cli_lines", "operations", "evaluation", "query", "orchestration", "engine", "stages", "weights"},
    "cli_lines": {"operations", "evaluation", "query"},
    "operations": {
        "definitions", "orchestration", "evaluation", "query", "stages", "engine", "index", "storage", "weights",
        "deepdoc.vision",
    },
    # the Dagster shell
    "definitions": {"assets", "orchestration", "stages", "engine"},
    "assets": {"orchestration", "engine"},
    "orchestration": {"waiting", "evaluation", "stages", "engine", "index", "storage"},
    # asking
    "evaluation": {"query", "storage", "tokenization"},
    "query": {"index", "embedding", "llm", "tokenization", "storage", "weights"},
    # ingesting
    "stages": {
        "engine", "remote_parser", "formats", "chunking", "embedding", "index", "tokenization", "storage", "weights",
        "deepdoc.assembly", "deepdoc.page", "deepdoc.files",
    },
    "engine": {"cores", "storage", "weights"},
    "remote_parser": {"deepdoc.assembly", "deepdoc.tables", "deepdoc.vision", "deepdoc.files", "endpoints"},
    # reading pages, bottom last
    "deepdoc.assembly": set(),
    "deepdoc.page": {"deepdoc.tables", "deepdoc.vision", "deepdoc.files", "weights"},
    "deepdoc.tables": {"deepdoc.vision", "weights"},
    "deepdoc.vision": {"deepdoc.files", "weights"},
    "deepdoc.files": set(),
    # the other formats, and what is made of sections
    "formats": set(),
    "chunking": {"tokenization"},
    "index": {"waiting", "tokenization", "storage"},
    "embedding": {"cores", "endpoints", "weights"},
    "llm": {"endpoints"},
    # the ground floor
    "endpoints": {"waiting"},
    "tokenization": set(),
    "storage": set(),
    "weights": set(),
    "tables": set(),
    "text": set(),
    "records": set(),
    "locators": set(),
    "settings": set(),
    "cores": set(),
    "waiting": set(),
    "errors": set(),
    "choices": set(),
}  # fmt: skip


def room_of(module: str) -> str:
    """`deepdoc` has wings; everywhere else the room is the first name below the package."""
    names = module.split(".")[1:]
    return ".".join(names[:2]) if names[:1] == ["deepdoc"] else names[0] if names else ""


def imports() -> Iterator[tuple[str, str]]:
    """Pairs of a module and what it imports, those within functions too."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = (PACKAGE.parent / node.module.replace(".", "/")).is_dir()
                yield from ((module, f"{node.module}.{a.name}" if inside else node.module) for a in node.names)


IMPORTS = list(imports())


def test_every_room_imports_only_from_rooms_below_it():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert all(order.index(other) > order.index(room) for other in below), f"{room} is drawn below what it uses"
    wrong = []
    for module, imported in IMPORTS:
        if imported.startswith("kb_pipeline.") and module != "kb_pipeline":
            room, other = room_of(module), room_of(imported)
            if other != room and other not in ROOMS[room] | COMMON:
                wrong.append(f"{module} imports {imported}")
    assert wrong == []


def test_every_allowance_is_used():
    used = {(room_of(module), room_of(imported)) for module, imported in IMPORTS if imported.startswith("kb_pipeline.")}
    assert sorted(f"{a} -> {b}" for a, below in ROOMS.items() for b in below if (a, b) not in used) == []


def test_only_the_shell_knows_dagster():
    knowing = {room_of(module) for module, imported in IMPORTS if imported.split(".")[0] == "dagster"}
    assert knowing <= SHELL


@pytest.mark.parametrize("room", sorted(COMMON))
def test_what_is_open_to_all_imports_nothing_but_its_like(room):
    for module, imported in IMPORTS:
        if room_of(module) == room and imported.startswith("kb_pipeline."):
            assert room_of(imported) in COMMON, f"{module} imports {imported}"


def test_the_architecture_page_names_every_room():
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("| room | what it is for |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines()[2:] for name in row.split("|")[1].strip().split(", ")}
    assert named == {room.partition(".")[0] for room in ROOMS}
