"""Writes the types of the package, with a function for each algorithm: ``python -m gts_graph._stub > __init__.pyi``."""

from ._core import ALGORITHMS, python_name

_HEAD = '''# Written by `python -m gts_graph._stub`.
from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Union

from ._core import Answer as Answer, Graph as Graph, Progress, Table as Table, devices as devices, explain as explain
from ._core import plan as plan, run as run
from ._errors import Error as Error, MissingFile as MissingFile, OutOfMemory as OutOfMemory
from ._errors import UnknownVertex as UnknownVertex, UsageError as UsageError

__version__: str
_Key = Any

def main() -> None: ...
'''

_TYPES = {
    "real": "float", "integer": "int", "flag": "bool", "vertex": "_Key", "vertices": "Union[_Key, Iterable[_Key]]",
    "file": "Union[str, PathLike[str]]",
}


def _parameter(parameter):
    words = parameter["words"]
    kind = f"Literal[{', '.join(repr(word) for word in words)}]" if words else _TYPES[parameter["kind"]]
    if parameter["required"]:
        return f"{python_name(parameter['name'])}: {kind}"
    if parameter["default"] is None:
        return f"{python_name(parameter['name'])}: Union[{kind}, None] = None"
    return f"{python_name(parameter['name'])}: {kind} = {parameter['default']!r}"


def stub():
    """Returns the text of the file."""
    lines = [_HEAD]
    for algorithm in ALGORITHMS:
        parameters = [_parameter(parameter) for parameter in algorithm["parameters"]]
        parameters += ["device: str = 'auto'", "progress: Progress = False", "**options: Any"]
        for name in [algorithm["name"], *algorithm["aliases"]]:
            lines.append(f"def {python_name(name)}(\n    graph: Graph, *, {', '.join(parameters)}\n) -> Answer: ...\n")
    return "\n".join(lines)


if __name__ == "__main__":
    print(stub(), end="")
