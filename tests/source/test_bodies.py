"""Trees without the bodies of functions say the same as whole ones, to whoever looks."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from pplint.source.bodies import Body, Skeleton
from pplint.source.text import of_text

CASES = {
    "a method": """
        class Pool:
            size = 2

            def get(self, layer_id):
                # Said of the line below.
                return self.buffer[layer_id]

            def put(self): self.size = 3
    """,
    "a body that begins with decorators": """
        def outer():

            @decorated
            @twice(
                1
            )
            class Inner:
                pass
    """,
    "a function in a function, and one below a test": """
        if True:
            async def outer():
                async with lock:
                    def inner():
                        nonlocal x
                        return await x
                yield inner
        else:
            def outer(): ...
        try:
            pass
        except Error:
            def late(a=1):
                return a
    """,
    "texts that reach over lines and to the margin": '''
        def f():
            """Text
        at the margin
            """
            return f"""
        {x
        !r}"""; y = 1
        z = 2
    ''',
    "a continued head": """
        def f(
            a,
        ) -> int: \\
            return a
        x = 1
    """,
    "one line at the end, and no line end": "def f():\n    x = 1",
    "tabs and form feeds": "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 1\n\x0c\n\tdef g(self):\n\t\treturn 2\n",
    "characters of several bytes": "def f():\n    é = 'ü𝔘'; return é\n\ndef g():\n    return 'ß'  # ß\n",
    "CRLF": "def f():\r\n    return 1\r\nx = 2\r\n",
    "a match": """
        match x:
            case 1:
                def f():
                    return 1
    """,
}


def dump(tree: ast.Module) -> str:
    """All of a tree but the columns at which functions, and what holds them, end."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.ExceptHandler)) and {"body", "cases"} & set(node._fields):
            node.end_col_offset = 0
    return ast.dump(tree, include_attributes=True)


@pytest.mark.parametrize(
    "text", [pytest.param(dedent(text).lstrip("\n"), id=name) for name, text in CASES.items()]
)
def test_what_was_taken_out_is_there_for_whoever_looks(text):
    source = of_text(text)
    whole = dump(source.parse())
    tree = source.parse()
    skeleton = Skeleton(source, tree)
    skeleton.strip(source, tree, lambda _: False)
    assert dump(tree) == whole
    assert dump(skeleton.parse(source)) == whole


def test_only_what_is_not_to_be_kept_is_taken_out():
    source = of_text("def f():\n    return layer\n\ndef g():\n    return other\n\ndef h(): return 1\n")
    tree = source.parse()
    left = Skeleton(source, tree).strip(source, tree, lambda text: "layer" in text)
    assert [isinstance(node.body, Body) for node in tree.body] == [False, True, False]
    assert left == len(source.text) - len("    return other")
    assert [type(node) for node in tree.body[1].body] == [ast.Return]
    assert tree.body[1].body[0] is tree.body[1].body[0]


def test_a_body_is_parsed_when_somebody_looks(monkeypatch):
    source = of_text("def f():\n    return 1\n\ndef g():\n    return 2\n")
    tree = source.parse()
    Skeleton(source, tree).strip(source, tree, lambda _: False)
    parsed = []
    parse = type(source).parse
    monkeypatch.setattr(type(source), "parse", lambda self: parsed.append(self.text) or parse(self))
    assert [node.end_lineno for node in tree.body] == [2, 5]
    assert parsed == []
    assert len(tree.body[1].body) == 1
    assert tree.body[1].body[0].lineno == 5
    assert len(parsed) == 1
