"""The exceptions of GTS."""

import json
import re


class Error(Exception):
    """An error of GTS.

    ``code`` is the error's code, such as ``GTS0203``, which ``gts_graph.explain`` explains. ``file``, ``line`` and
    ``column`` are its place in a file, and ``next`` says what to do; each is None if there is none.
    """

    def __init__(self, message, code=None, file=None, line=None, column=None, next=None):
        super().__init__(message)
        self.message, self.code, self.file, self.line, self.column, self.next = message, code, file, line, column, next

    def __str__(self):
        return self.message + (f"\nnext: {self.next}" if self.next else "") + (f"\ncode: {self.code}" if self.code else "")

    def __reduce__(self):
        return type(self), (self.message, self.code, self.file, self.line, self.column, self.next)


class UsageError(Error, ValueError):
    """An argument is invalid."""


class OutOfMemory(Error, MemoryError):
    """A graph or a run exceeds the available memory or the limit."""


class MissingFile(Error, FileNotFoundError):
    """A file or a store does not exist."""


class UnknownVertex(Error, KeyError):
    """A graph has no vertex with this key."""


# Codes of errors that have a more specific class than Error.
_CLASSES: dict[str, type[Error]] = {}


def as_arguments(text):
    """Replaces the flags of the command line in a text by keyword arguments."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda match: match[1].replace("-", "_"), text) if text else text


def exception_of(details):
    """Returns the exception for an error as the command line prints it with ``--json``."""
    details = json.loads(details) or {"message": "the work failed without a reason"}
    kind = _class_of(details.get("code"))
    message, next = as_arguments(details["message"]), as_arguments(details.get("next"))
    return kind(message, details.get("code"), details.get("file"), details.get("line"), details.get("column"), next)


def _class_of(code):
    if not _CLASSES:
        from . import _gts

        names = {"usage": UsageError, "memory": OutOfMemory, "file": MissingFile, "vertex": UnknownVertex}
        _CLASSES.update({code: names[kind] for code, kind in json.loads(_gts.kinds_of_codes()).items()})
    return _CLASSES.get(code, Error)
