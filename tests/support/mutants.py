"""Small breaks of a module's source, each of which some test should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Final

OPPOSITES: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
EXCHANGED: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
NOT_RUN: Final = {"annotation", "returns", "decorator_list"}
CONDITIONS: Final = {"test", "ifs"}
Place = tuple[ast.AST, str, int | None]
"""A node, one of its fields, and a position if the field is a list."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """The break of a module with a number, where it is, and how it reads."""

    path: str
    number: int
    line: int
    last_line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} → {self.after}"


def mutants_of(path: str) -> list[Mutant]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return [
        Mutant(path, number, *_lines(place, old), _in_words(old), _in_words(new))
        for number, (place, old, new) in enumerate(_breaks(tree))
    ]


def broken_code(mutant: Mutant) -> CodeType:
    """Compile a module with a break in it."""
    tree = ast.parse(Path(mutant.path).read_text(encoding="utf-8"))
    place, old, new = list(_breaks(tree))[mutant.number]
    _set(place, ast.copy_location(new, old))
    return compile(ast.fix_missing_locations(tree), str(Path(mutant.path).resolve()), "exec")


def _breaks(tree: ast.AST) -> Iterator[tuple[Place, ast.AST, ast.AST]]:
    for place, node, runs in _nodes(tree, runs=False):
        for other in _others(place, node):
            if runs or isinstance(other, ast.Constant):
                yield place, node, other


def _nodes(node: ast.AST, *, runs: bool) -> Iterator[tuple[Place, ast.AST, bool]]:
    """Yield all nodes that are run, and whether that is in a function."""
    for name, value in ast.iter_fields(node):
        if name in NOT_RUN or _is_assertion(node):
            continue
        listed = isinstance(value, list)
        for position, child in enumerate(value if listed else [value]):
            if isinstance(child, ast.AST):
                runs |= isinstance(node, ast.FunctionDef) and name == "body"
                yield (node, name, position if listed else None), child, runs
                yield from _nodes(child, runs=runs)


def _others(place: Place, node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    _, name, _ = place
    if type(node) in OPPOSITES:
        yield OPPOSITES[type(node)]()
    if name in CONDITIONS and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BoolOp):
        yield ast.UnaryOp(ast.Not(), node)
    if name == "func" and isinstance(node, ast.Name) and node.id in EXCHANGED:
        yield ast.Name(EXCHANGED[node.id], ast.Load())
    if isinstance(node, ast.expr):
        yield from _other_expressions(node)
    elif _is_removable(node):
        yield ast.Pass()


def _other_expressions(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool() as truth):
            yield ast.Constant(not truth)
        case ast.Constant(value=int() | float() as amount):
            yield from (ast.Constant(amount + 1), ast.Constant(amount - 1))
        case ast.UnaryOp(op=ast.Not(), operand=inside):
            yield inside
        case ast.Call(func=called, args=arguments, keywords=named):
            for left_out in named:
                if not _is_assertion(left_out):
                    yield ast.Call(called, arguments, [each for each in named if each != left_out])


def _is_assertion(node: ast.AST) -> bool:
    """Say whether a node states what cannot be otherwise."""
    strict = isinstance(node, ast.keyword) and node.arg == "strict"
    return strict or isinstance(node, ast.Assert)


def _is_removable(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
    return False


def _set(place: Place, node: ast.AST) -> None:
    parent, name, position = place
    if position is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[position] = node


def _lines(place: Place, node: ast.AST) -> tuple[int, int]:
    where = node if hasattr(node, "lineno") else place[0]
    return getattr(where, "lineno", 0), getattr(where, "end_lineno", 0)


def _in_words(node: ast.AST) -> str:
    words = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else type(node).__name__
    return " ".join(words.split())
