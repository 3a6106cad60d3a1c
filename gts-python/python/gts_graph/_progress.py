"""Progress on standard error."""

import sys


class Meter:
    """Shows progress in one line of a terminal."""

    def __call__(self, phase, done, total):
        part = f" {100 * done / total:.0f} %" if total else f" {done:,}"
        sys.stderr.write(f"\r\x1b[K{phase}{part}")
        sys.stderr.flush()

    def __del__(self):
        sys.stderr.write("\r\x1b[K")
