#!/usr/bin/env python3
"""Draws the picture of README.md: pages stream past the attributes in GPU memory, beside a run in a terminal.

    python3 scripts/picture.py >book/src/streaming.svg

The output depends on this file alone. `tests/tests/readme.rs` compares it with the committed picture.
"""

from xml.sax.saxutils import escape

# Output of a release build of 616b76f on two virtual cores of an EPYC. `gts generate rmat:22 rmat22.gts` wrote the store.
RUN = """\
$ gts run pagerank rmat22.gts --host-memory 100MiB --top 3
       rank  vertex
 0.00178975       0
0.000565678  131072
0.000565550       1

iterations   20
graph        rmat22.gts: 4,194,304 vertices, 67,108,864 directed edges, loaded in 27.0 ms
device       cpu (2 threads)
time         3.26 s: push 3.12 s in 20 passes, damp 116.1 ms in 20 passes, attributes 2.93 ms
command      3.30 s: passes 3.24 s, other 61.4 ms
speed        415 M edges/s: 1,342,177,280 edges, 4.71 GiB of pages
read         4.35 GiB from storage, 1.35 GiB/s
host memory  tables and pages 99.0 MiB of 100 MiB, whole process at most 229 MiB
"""

WIDTH, HEIGHT = 1092, 330
SANS, MONO = "Helvetica, Arial, sans-serif", "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INK, MUTED, LINE = "#1f2933", "#52606d", "#9aa5b1"
PAGE, MOVING, KEPT, ATTRIBUTE, DARK, LIGHT = "#d9e2ec", "#7cc4fa", "#a3d9b1", "#f7c873", "#1f2933", "#e4e7eb"
# Font size, character width and line height of the terminal, in pixels.
FONT, CHARACTER, ROW = 10.5, 6.3, 17


def text(x, y, content, size=13, colour=INK, anchor="start", weight="normal"):
    return (
        f'<text x="{x}" y="{y}" font-family="{SANS}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(content)}</text>'
    )


def box(x, y, width, height, fill, stroke=LINE, radius=2):
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" stroke="{stroke}"/>'
    )


def arrow(x1, y1, x2, y2):
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" stroke-width="1.5" marker-end="url(#head)"/>'
    )


def page(x, y, fill):
    """Returns a page: a rectangle with the lists of three vertices as lines."""
    lists = (
        f'<line x1="{x + 5}" y1="{y + 8 + 7 * row}" x2="{x + end}" y2="{y + 8 + 7 * row}" stroke="{MUTED}"/>'
        for row, end in enumerate((25, 16, 21))
    )
    return box(x, y, 30, 30, fill) + "".join(lists)


def store():
    yield box(14, 46, 124, 270, "#ffffff")
    yield text(76, 36, "disk or host", anchor="middle", weight="bold")
    for row in range(6):
        for column in range(3):
            yield page(23 + 38 * column, 56 + 38 * row, PAGE)
    yield text(76, 303, "all pages", 12, MUTED, "middle")


def flight():
    for x in (147, 182):
        yield page(x, 170, MOVING)
    yield arrow(144, 215, 216, 215)
    yield text(180, 160, "copies", 12, MUTED, "middle")


def device():
    yield box(222, 46, 226, 270, "#ffffff")
    yield text(335, 36, "GPU memory", anchor="middle", weight="bold")
    for vertex in range(14):
        yield box(237 + 14 * vertex, 58, 14, 30, ATTRIBUTE)
    yield text(335, 104, "attributes: one value per vertex", 12, MUTED, "middle")
    for slot in range(4):
        x = 250 + 47 * slot
        yield arrow(x + 15, 164, x + 15, 114)
        yield page(x, 170, MOVING)
    yield text(335, 217, "a kernel visits each edge", 12, MUTED, "middle")
    for slot in range(5):
        yield page(239 + 41 * slot, 254, KEPT)
    yield text(335, 303, "the rest caches pages", 12, MUTED, "middle")


def terminal():
    yield box(464, 14, 614, 302, DARK, DARK, 8)
    for number, colour in enumerate(("#ef6f6c", "#f2c14e", "#7bc47f")):
        yield f'<circle cx="{482 + 16 * number}" cy="30" r="5" fill="{colour}"/>'
    for number, line in enumerate(RUN.splitlines()):
        if line:
            yield (
                f'<text x="478" y="{60 + ROW * number}" font-family="{MONO}" font-size="{FONT}" fill="{LIGHT}" '
                f'xml:space="preserve" textLength="{CHARACTER * len(line):.1f}">{escape(line)}</text>'
            )


def main():
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img">'
    )
    print("<title>Pages stream past the attributes in GPU memory; a run within a memory limit</title>")
    print('<defs><marker id="head" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto">', end="")
    print(f'<path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>')
    print(box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, "#f5f7fa", "#cbd2d9", 8))
    for part in (store, flight, device, terminal):
        print(*part(), sep="\n")
    print("</svg>")


if __name__ == "__main__":
    main()
