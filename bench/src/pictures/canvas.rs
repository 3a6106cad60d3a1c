//! Parts of pictures, as SVG: text, boxes, vertices and arrows.

use super::colours;
use std::fmt::Write as _;

/// Width of every picture in pixels. The book never enlarges a picture; a narrow screen shows it smaller.
pub(super) const WIDTH: f64 = 560.0;
/// Radius of a vertex.
pub(super) const RADIUS: f64 = 17.0;
/// Distance from the middle of a line of text to its baseline.
const MIDDLE: f64 = 5.5;
/// Length and half the width of the head of an arrow.
const HEAD: (f64, f64) = (11.0, 5.0);

/// A point in pixels, from the top left corner.
pub(super) type Point = (f64, f64);

/// Filling of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    /// The background of the page, with a grey outline.
    Paper,
    /// The background of quotes, with a grey outline.
    Wall,
    /// A pale accent colour, with an outline in the accent colour.
    Tint,
    /// The accent colour.
    Accent,
}

impl Surface {
    const fn class(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Wall => "wall",
            Self::Tint => "tint",
            Self::Accent => "accent",
        }
    }
}

/// Colour and form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Grey,
    /// Grey, with gaps.
    Dashed,
    /// Thick, in the accent colour.
    Accent,
}

impl Stroke {
    const fn class(self) -> &'static str {
        match self {
            Self::Grey => "grey",
            Self::Dashed => "grey dashed",
            Self::Accent => "hot",
        }
    }
}

/// Font and colour of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lettering {
    Plain,
    Bold,
    Muted,
    /// Bold, in the accent colour.
    Accent,
    /// Text on a shape in the accent colour.
    Inverse,
    Code,
}

impl Lettering {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Bold => "bold",
            Self::Muted => "muted",
            Self::Accent => "bold blue",
            Self::Inverse => "bold inverse",
            Self::Code => "code",
        }
    }
}

/// A picture under construction.
#[derive(Debug)]
pub(super) struct Canvas {
    name: &'static str,
    height: f64,
    title: &'static str,
    description: String,
    body: String,
}

impl Canvas {
    /// Begins a picture. `title` and `description` are for readers who do not see it.
    pub(super) fn new(name: &'static str, height: f64, title: &'static str, description: &str) -> Self {
        Self { name, height, title, description: description.to_owned(), body: String::new() }
    }

    /// Draws text that begins at `x`. `y` is the middle of the line.
    pub(super) fn text(&mut self, at: Point, text: &str, lettering: Lettering) {
        self.anchored(at, text, lettering, "");
    }

    /// Draws text around `at`.
    pub(super) fn centred(&mut self, at: Point, text: &str, lettering: Lettering) {
        self.anchored(at, text, lettering, r#" text-anchor="middle""#);
    }

    /// Draws text that ends at `x`.
    pub(super) fn ending(&mut self, at: Point, text: &str, lettering: Lettering) {
        self.anchored(at, text, lettering, r#" text-anchor="end""#);
    }

    fn anchored(&mut self, (x, y): Point, text: &str, lettering: Lettering, anchor: &str) {
        let (x, y, class, text) = (number(x), number(y + MIDDLE), lettering.class(), escaped(text));
        self.add(format_args!(r#"<text x="{x}" y="{y}" class="{class}"{anchor}>{text}</text>"#));
    }

    /// Draws a rectangle. `at` is its top left corner.
    pub(super) fn rectangle(&mut self, at: Point, size: Point, surface: Surface) {
        self.rounded(at, size, 2.0, surface);
    }

    /// Draws a frame around other shapes.
    pub(super) fn frame(&mut self, at: Point, size: Point) {
        self.rounded(at, size, 6.0, Surface::Wall);
    }

    fn rounded(&mut self, (x, y): Point, (width, height): Point, radius: f64, surface: Surface) {
        let [x, y, width, height, radius] = [x, y, width, height, radius].map(number);
        let class = surface.class();
        self.add(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" class="{class}"/>"#
        ));
    }

    /// Draws a rectangle with text in its middle.
    pub(super) fn cell(&mut self, at: Point, size: Point, text: &str, surface: Surface) {
        self.rectangle(at, size, surface);
        self.on((at.0 + size.0 / 2.0, at.1 + size.1 / 2.0), text, surface);
    }

    /// Draws text, if there is any, in the middle of a shape.
    fn on(&mut self, at: Point, text: &str, surface: Surface) {
        if !text.is_empty() {
            self.centred(at, text, if surface == Surface::Accent { Lettering::Inverse } else { Lettering::Plain });
        }
    }

    pub(super) fn circle(&mut self, (x, y): Point, radius: f64, surface: Surface) {
        let ([x, y, radius], class) = ([x, y, radius].map(number), surface.class());
        self.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="{radius}" class="{class}"/>"#));
    }

    /// Draws a vertex with text in it.
    pub(super) fn vertex(&mut self, at: Point, text: &str, surface: Surface) {
        self.circle(at, RADIUS, surface);
        self.on(at, text, surface);
    }

    pub(super) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        let ([x1, y1, x2, y2], class) = ([from.0, from.1, to.0, to.1].map(number), stroke.class());
        self.add(format_args!(r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="{class}"/>"#));
    }

    /// Draws an arrow. Its head ends at `to`.
    pub(super) fn arrow(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (x, y) = direction(from, to);
        let base = (to.0 - HEAD.0 * x, to.1 - HEAD.0 * y);
        self.line(from, base, stroke);
        let corners = [to, (base.0 - HEAD.1 * y, base.1 + HEAD.1 * x), (base.0 + HEAD.1 * y, base.1 - HEAD.1 * x)];
        let points = corners.map(|(x, y)| format!("{},{}", number(x), number(y))).join(" ");
        let class = if stroke == Stroke::Accent { "head blue" } else { "head" };
        self.add(format_args!(r#"<polygon points="{points}" class="{class}"/>"#));
    }

    /// Draws an arrow between the circles of two vertices.
    pub(super) fn edge(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (from, to) = between(from, to);
        self.arrow(from, to, stroke);
    }

    /// Draws a line between the circles of two vertices.
    pub(super) fn undirected_edge(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (from, to) = between(from, to);
        self.line(from, to, stroke);
    }

    /// Draws a page: a sheet with the lists of three vertices as lines.
    pub(super) fn page(&mut self, (x, y): Point, surface: Surface) {
        self.rectangle((x, y), PAGE, surface);
        for (row, end) in (0u8..).zip([28.0, 18.0, 23.0]) {
            let y = y + 10.0 + 9.0 * f64::from(row);
            self.line((x + 6.0, y), (x + end, y), Stroke::Grey);
        }
    }

    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string never fails.
        let _ = writeln!(self.body, "{line}");
    }

    /// Returns the SVG element: one block of HTML without blank lines.
    pub(super) fn finish(self) -> String {
        let Self { name, height, title, description, body } = self;
        let (width, height) = (number(WIDTH), number(height));
        let style = colours::sheet(name);
        let (title, description) = (escaped(title), escaped(&description));
        let place = "display:block;margin:1em auto;max-width:100%;height:auto";
        let labels = format!(r#"role="img" aria-labelledby="picture-{name}-title picture-{name}-desc""#);
        let size = format!(r#"width="{width}" height="{height}" viewBox="0 0 {width} {height}" style="{place}""#);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" id="picture-{name}" {labels} {size}>
<title id="picture-{name}-title">{title}</title>
<desc id="picture-{name}-desc">{description}</desc>
<style>
{style}</style>
<rect width="{width}" height="{height}" class="ground"/>
{body}</svg>
"#
        )
    }
}

/// Width and height of a page.
pub(super) const PAGE: Point = (34.0, 38.0);

/// Returns the ends of the line between two vertices, outside their circles.
fn between(from: Point, to: Point) -> (Point, Point) {
    let (x, y) = direction(from, to);
    let gap = RADIUS + 3.0;
    ((from.0 + gap * x, from.1 + gap * y), (to.0 - gap * x, to.1 - gap * y))
}

/// Returns the vector of length 1 from one point towards another.
fn direction(from: Point, to: Point) -> Point {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(f64::MIN_POSITIVE);
    (x / length, y / length)
}

/// Formats a coordinate with at most one decimal.
fn number(value: f64) -> String {
    format!("{}", (value * 10.0).round() / 10.0)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
