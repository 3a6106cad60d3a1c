"""A function for each registered algorithm."""

import inspect
import re
import textwrap

from ._core import ALGORITHMS, Answer, Graph, python_name, run
from ._errors import as_arguments

# A sentence about the files of the command line.
_OUTPUT = re.compile(r" ?`--output [^`]*` writes [^.]*\.")
_TYPES = {"real": float, "integer": int, "flag": bool, "choice": str, "file": str}


def _function(algorithm):
    name = algorithm["name"]

    def function(graph, **options):
        return run(name, graph, **options)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("graph", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Graph)]
    for parameter in algorithm["parameters"]:
        default = inspect.Parameter.empty if parameter["required"] else parameter["default"]
        kind = _TYPES.get(parameter["kind"], inspect.Parameter.empty)
        parameters.append(inspect.Parameter(python_name(parameter["name"]), keyword, default=default, annotation=kind))
    parameters.append(inspect.Parameter("device", keyword, default="auto", annotation=str))
    parameters.append(inspect.Parameter("progress", keyword, default=False))
    parameters.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    function.__signature__ = inspect.Signature(parameters, return_annotation=Answer)
    function.__name__ = function.__qualname__ = python_name(name)
    function.__module__ = "gts_graph"
    function.__doc__ = documentation(algorithm)
    return function


def documentation(algorithm):
    """Returns the documentation of an algorithm's function."""
    wrap = textwrap.TextWrapper(width=100, break_long_words=False, break_on_hyphens=False)
    parts = [algorithm["summary"] + "."]
    help = _OUTPUT.sub("", algorithm["help"])
    parts += [wrap.fill(text) for text in [help, *(algorithm["definition"] or [])] if text]
    lines = []
    for parameter in algorithm["parameters"]:
        rule = f" If not given: {parameter['rule']}." if parameter["rule"] else ""
        lines.append(f"{python_name(parameter['name'])}: {parameter['help']}: {parameter['expected']}.{rule}")
    if lines:
        parts.append("Parameters:\n" + "\n".join(textwrap.indent(wrap.fill(line), "    ") for line in lines))
    outputs = [f"{output['name']}: {output['help']}" + (f" (null: {output['unreached']})" if output["unreached"] else "") for output in algorithm["outputs"]]
    parts.append("Answer:\n" + "\n".join(textwrap.indent(wrap.fill(line), "    ") for line in outputs))
    if algorithm["source"]:
        parts.append(wrap.fill("Source: " + algorithm["source"]))
    return as_arguments("\n\n".join(parts))


FUNCTIONS = {
    python_name(name): _function(algorithm) for algorithm in ALGORITHMS for name in [algorithm["name"], *algorithm["aliases"]]
}
