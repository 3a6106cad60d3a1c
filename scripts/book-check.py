#!/usr/bin/env python3
"""Checks how the built book looks on a narrow and a wide screen, in a light and a dark theme, and takes screenshots.

    mdbook build book --dest-dir target/book
    python3 scripts/book-check.py target/book [--screenshots FOLDER] [--chapter NAME]...

Requires the Python package `playwright` and an installed Chromium: `apt-get install chromium`, or the path of one in
CHROMIUM. Prints a line per fault and returns 1 if there is one:

  wide      an element is wider than its column, or the page scrolls sideways
  command   a command of 72 columns does not fit beside the contents of a wide screen
  contrast  text whose contrast with its background is below 4.5 (3 for large text)
"""

import argparse
import os
import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

WIDTHS = (390, 1280)
THEMES = ("light", "navy")
HEIGHT = 900
# Pixels of a page that a screenshot shows, from its top.
SHOT = 8000
# Pages that are no chapters.
OTHERS = {"print.html", "404.html", "toc.html", "index.html"}
# A chapter repeats most colours, so a few lines show what is wrong.
SHOWN = 6

CHECK = """
(columns) => {
  const faults = [];
  const main = document.querySelector("main");
  const describe = (element) => {
    const text = (element.textContent || "").trim().replace(/\\s+/g, " ").slice(0, 50);
    return `<${element.tagName.toLowerCase()}> "${text}"`;
  };

  const root = document.scrollingElement;
  if (root.scrollWidth > window.innerWidth) {
    faults.push(`wide: the page scrolls: ${root.scrollWidth} pixels of ${window.innerWidth}`);
  }
  const scrolls = (element) => {
    for (let at = element.parentElement; at && at !== main; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") return true;
    }
    return false;
  };
  const right = main.getBoundingClientRect().right + 1;
  for (const element of main.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > right && !scrolls(element)) {
      faults.push(`wide: ${describe(element)} ends ${Math.round(box.right - right)} pixels beyond its column`);
    }
  }

  const code = main.querySelector("pre > code");
  if (code && columns) {
    const probe = document.createElement("span");
    probe.textContent = "x".repeat(columns);
    probe.style.position = "absolute";
    probe.style.visibility = "hidden";
    code.appendChild(probe);
    const width = probe.getBoundingClientRect().width;
    probe.remove();
    const style = getComputedStyle(code);
    const room = code.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (width > room) faults.push(`command: ${columns} columns take ${Math.round(width)} of ${Math.round(room)} pixels`);
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (top, below) => top.rgb.map((part, at) => part * top.alpha + below[at] * (1 - top.alpha));
  const background = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = colour(getComputedStyle(at).backgroundColor);
      if (layer.alpha > 0) layers.push(layer);
      if (layer.alpha === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  // The last shape that is drawn before a text and contains its middle is its background.
  const behind = (text) => {
    const picture = text.ownerSVGElement;
    const box = text.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    let below = background(picture.parentElement);
    for (const shape of picture.querySelectorAll("rect, circle, ellipse, path, polygon")) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const fill = getComputedStyle(shape).fill;
      const outer = shape.getBoundingClientRect();
      if (fill === "none" || x < outer.left || x > outer.right || y < outer.top || y > outer.bottom) continue;
      below = over(colour(fill), below);
    }
    return below;
  };
  const luminance = (rgb) => {
    const [red, green, blue] = rgb
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const style = getComputedStyle(element);
    const isShown = walker.currentNode.data.trim() && element.getClientRects().length > 0;
    if (!isShown || style.visibility !== "visible" || element.closest("script, style, title, desc")) continue;
    const isDrawn = element.ownerSVGElement;
    const below = isDrawn ? behind(element) : background(element);
    const own = over(colour(isDrawn ? style.fill : style.color), below);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    const ratio = contrast(own, below);
    const key = `${own.map(Math.round)} on ${below.map(Math.round)}`;
    if (ratio < (isLarge ? 3 : 4.5) && !seen.has(key)) {
      seen.add(key);
      faults.push(`contrast: ${ratio.toFixed(2)}, rgb(${key}): ${describe(element)}`);
    }
  }
  return faults;
}
"""


def chromium():
    """Returns the path of an installed Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sys.exit("no Chromium: `apt-get install chromium`, or set CHROMIUM to the path of one")
    return found


def chapters(book, wanted):
    """Returns the chapters of a built book, by their path without the extension."""
    pages = sorted(page for page in book.rglob("*.html") if page.name not in OTHERS)
    named = [(page.relative_to(book).with_suffix("").as_posix(), page) for page in pages]
    chosen = [(name, page) for name, page in named if not wanted or name in wanted]
    if not chosen:
        sys.exit(f"{book} contains no such chapter: build the book first")
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", type=pathlib.Path, help="folder of the built book")
    parser.add_argument("--screenshots", type=pathlib.Path, help="folder for a picture of each page")
    parser.add_argument("--chapter", action="append", default=[], help="check only this chapter, such as `budgets`")
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)

    faults = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for theme in THEMES:
            for width in WIDTHS:
                page = browser.new_page(viewport={"width": width, "height": HEIGHT})
                page.add_init_script(f"localStorage.setItem('mdbook-theme', '{theme}')")
                for name, path in chapters(arguments.book.resolve(), arguments.chapter):
                    page.goto(path.as_uri())
                    if arguments.screenshots:
                        file = f"{name.replace('/', '-')}-{theme}-{width}.png"
                        page.screenshot(
                            path=arguments.screenshots / file,
                            full_page=True,
                            clip={"x": 0, "y": 0, "width": width, "height": SHOT},
                            timeout=120_000,
                        )
                    found = page.evaluate(CHECK, 72 if width == WIDTHS[-1] else 0)
                    faults += len(found)
                    for fault in found[:SHOWN]:
                        print(f"{name}, {theme}, {width} pixels: {fault}")
                    if len(found) > SHOWN:
                        print(f"{name}, {theme}, {width} pixels: {len(found) - SHOWN} more")
                page.close()
        browser.close()
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
