//! Draws a trace with one row per stream or reader and time on the horizontal axis, as in Figure 4 of the GTS paper.
//!
//! A row has two bands. The upper band shows transfers and phases, and the lower band shows work on the transferred
//! bytes. While transfers and work overlap, both bands are filled. Events narrower than a pixel are merged with their
//! neighbours into one bar, whose opacity is the share of the bar's time during which an event was in progress. The
//! file size is therefore bounded, even for millions of events.

use super::rows::{device_name, rows};
use super::{TraceEvent, TraceKind, busy};
use gts_core::units;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

/// Widths in pixels: the picture, the column of row names, and the margin.
const WIDTH: f64 = 1280.0;
const NAMES: f64 = 150.0;
const MARGIN: f64 = 24.0;
/// Heights in pixels: the header, a device title, a row, and each of a row's two bands.
const HEAD: f64 = 64.0;
const TITLE: f64 = 26.0;
const ROW: f64 = 30.0;
const BAND: f64 = 12.0;
/// The approximate width of a letter in a bar, in pixels.
const LETTER: f64 = 6.0;
const AXIS: f64 = 44.0;
/// Events that are narrower than `NARROW` pixels and less than `NARROW` pixels apart are merged into bars of up to
/// `TOGETHER` pixels.
const NARROW: f64 = 0.75;
const TOGETHER: f64 = 3.0;
/// The approximate distance between marks on the time axis, in pixels.
const MARKS: f64 = 110.0;

/// Writes events as an SVG picture. `devices` contains the devices' names, indexed by device number.
///
/// # Errors
///
/// The writer fails.
pub fn write(mut writer: impl Write, events: &[TraceEvent], devices: &[String]) -> io::Result<()> {
    writer.write_all(Picture::new(events).draw(events, devices).as_bytes())
}

const fn colour(kind: TraceKind) -> &'static str {
    match kind {
        TraceKind::Read => "#8c6bb1",
        TraceKind::Copy => "#2b7bba",
        TraceKind::Launch => "#e6842a",
        TraceKind::Merge => "#2e9e62",
        TraceKind::Deal => "#c2488e",
        TraceKind::Phase => "#9aa5b1",
    }
}

/// The body of a picture under construction, and the time span that the picture shows.
struct Picture {
    start: Duration,
    span: f64,
    body: String,
}

impl Picture {
    fn new(events: &[TraceEvent]) -> Self {
        let start = events.iter().map(|event| event.start).min().unwrap_or_default();
        let end = events.iter().map(|event| event.end).max().unwrap_or_default();
        // The axis of an empty picture needs a positive span.
        let span = end.saturating_sub(start).as_secs_f64().max(1e-6);
        Self { start, span, body: String::new() }
    }

    fn x(&self, time: Duration) -> f64 {
        let share = time.saturating_sub(self.start).as_secs_f64() / self.span;
        MARGIN + NAMES + share * (WIDTH - NAMES - 2.0 * MARGIN)
    }

    fn draw(mut self, events: &[TraceEvent], devices: &[String]) -> String {
        let mut y = HEAD;
        let mut titled = None;
        for (row, events) in rows(events) {
            if titled != Some(row.device) {
                titled = Some(row.device);
                self.text(MARGIN, y + 18.0, "start", "device", &device_name(devices, row.device));
                y += TITLE;
            }
            self.text(MARGIN + NAMES - 10.0, y + ROW / 2.0 + 2.0, "end", "row", &row.name());
            let (left, right) = (MARGIN + NAMES, WIDTH - MARGIN);
            self.add(format_args!(
                r##"<rect x="{left:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="#f4f4f4"/>"##,
                right - left,
                2.0 * BAND + 2.0
            ));
            for kind in TraceKind::ALL {
                let band = if matches!(kind, TraceKind::Read | TraceKind::Copy | TraceKind::Phase) {
                    y
                } else {
                    y + BAND + 2.0
                };
                let of_kind: Vec<_> = events.iter().copied().filter(|event| event.kind == kind).collect();
                self.bars(kind, &of_kind, band);
            }
            y += ROW;
        }
        self.axis(HEAD, y + 4.0);
        let height = y + AXIS;
        let mut picture = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
             <title>Timeline of a GTS run</title>\n\
             <style>.device{{font-weight:600}}.row,.mark{{fill:#555}}.head{{font-weight:600;font-size:15px}}.phase{{font-size:10px}}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let rows = std::mem::take(&mut self.body);
        self.head(events);
        picture.push_str(&self.body);
        picture.push_str(&rows);
        picture.push_str("</svg>\n");
        picture
    }

    /// Draws the title and the legend.
    fn head(&mut self, events: &[TraceEvent]) {
        let span = Duration::from_secs_f64(self.span);
        let copies = busy(events.iter().filter(|event| event.kind == TraceKind::Copy));
        let share = 100.0 * copies.as_secs_f64() / self.span;
        let title = format!("{} of a run; copies going on {share:.1} % of it", readable_time(span));
        self.text(MARGIN, 26.0, "start", "head", &title);
        let mut x = MARGIN;
        for kind in TraceKind::ALL {
            let of_kind = || events.iter().filter(|event| event.kind == kind);
            if of_kind().next().is_none() {
                continue;
            }
            let bytes = of_kind().map(|event| event.bytes).sum();
            let count = counted(of_kind().count() as u64, kind);
            let label = if kind == TraceKind::Phase { count } else { format!("{count}, {}", units::bytes(bytes)) };
            let fill = colour(kind);
            self.add(format_args!(r#"<rect x="{x:.1}" y="38" width="12" height="12" fill="{fill}"/>"#));
            self.text(x + 18.0, 48.0, "start", "legend", &label);
            x += 40.0 + 7.0 * label.len() as f64;
        }
    }

    /// Draws a row's events of one kind, which must be ordered by start time.
    fn bars(&mut self, kind: TraceKind, events: &[&TraceEvent], y: f64) {
        let mut rest = events;
        while let Some(first) = rest.first() {
            // Merge the following events that are too close to be distinguished.
            let mut end = self.x(first.end);
            let left = self.x(first.start);
            let mut count = 1;
            while let Some(next) = rest.get(count) {
                let gap = self.x(next.start) - end;
                let small = self.x(next.end) - self.x(next.start) < NARROW;
                if gap >= NARROW || end - left >= TOGETHER || !(small || end - left < NARROW) {
                    break;
                }
                end = end.max(self.x(next.end));
                count += 1;
            }
            let (together, after) = rest.split_at(count);
            self.bar(kind, together, y);
            rest = after;
        }
    }

    fn bar(&mut self, kind: TraceKind, events: &[&TraceEvent], y: f64) {
        let start = events.iter().map(|event| event.start).min().unwrap_or_default();
        let end = events.iter().map(|event| event.end).max().unwrap_or_default();
        let (bytes, pages) = events.iter().fold((0, 0), |sum, event| (sum.0 + event.bytes, sum.1 + event.pages));
        let span = end.saturating_sub(start);
        let active = busy(events.iter().copied());
        let opacity = if span.is_zero() { 1.0 } else { (active.as_secs_f64() / span.as_secs_f64()).clamp(0.2, 1.0) };
        let what = match events {
            [only] => format!("{} {}: {}", kind.name(), only.label, readable_time(span)),
            _ => {
                let many = counted(events.len() as u64, kind);
                format!("{many}: {} of {} busy", readable_time(active), readable_time(span))
            }
        };
        let (x, width) = (self.x(start), (self.x(end) - self.x(start)).max(0.5));
        self.add(format_args!(
            r#"<rect x="{x:.2}" y="{y:.1}" width="{width:.2}" height="{BAND}" fill="{}" fill-opacity="{opacity:.2}"><title>{}, {}, pages: {pages}, from {}</title></rect>"#,
            colour(kind),
            escaped(&what),
            units::bytes(bytes),
            readable_time(start)
        ));
        // Phases follow each other without gaps, so lines separate them. A phase's name is drawn if the bar is wide
        // enough.
        if kind == TraceKind::Phase {
            let bottom = y + BAND;
            self.add(format_args!(
                r##"<line x1="{x:.2}" y1="{y:.1}" x2="{x:.2}" y2="{bottom:.1}" stroke="#fff" stroke-width="0.5"/>"##
            ));
            if let [only] = events
                && width >= 10.0 + LETTER * only.label.len() as f64
            {
                self.text(x + 4.0, y + BAND - 2.0, "start", "phase", only.label);
            }
        }
    }

    /// Draws the time axis: marks at round times, with lines through all rows.
    fn axis(&mut self, top: f64, bottom: f64) {
        let (step, unit, scale) = marks(self.span, (WIDTH - NAMES - 2.0 * MARGIN) / MARKS);
        let digits = if step * scale < 0.995 { 1 } else { 0 };
        for mark in 0..=(self.span / step + 1e-9) as u32 {
            let x = self.x(self.start + Duration::from_secs_f64(f64::from(mark) * step));
            self.add(format_args!(
                r##"<line x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="#ccc" stroke-width="0.5"/>"##
            ));
            let label = format!("{:.digits$} {unit}", f64::from(mark) * step * scale);
            self.text(x, bottom + 16.0, "middle", "mark", &label);
        }
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let text = escaped(text);
        self.add(format_args!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{text}</text>"#));
    }

    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string never fails.
        let _ = writeln!(self.body, "{line}");
    }
}

/// Returns the distance between marks in seconds, the unit of their labels, and the number of units per second. The
/// distance is 1, 2 or 5 times a power of ten, and is large enough for at most about `count` marks.
fn marks(span: f64, count: f64) -> (f64, &'static str, f64) {
    let least = span / count;
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    match step {
        _ if step >= 0.5 => (step, "s", 1.0),
        _ if step >= 0.0005 => (step, "ms", 1e3),
        _ => (step, "us", 1e6),
    }
}

fn counted(number: u64, kind: TraceKind) -> String {
    let plural = match kind {
        _ if number == 1 => kind.name(),
        TraceKind::Read => "reads",
        TraceKind::Copy => "copies",
        TraceKind::Launch => "launches",
        TraceKind::Merge => "merges",
        TraceKind::Deal => "deals",
        TraceKind::Phase => "phases",
    };
    format!("{number} {plural}")
}

fn readable_time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds if seconds >= 1e-3 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{:.1} us", seconds * 1e6),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, sample};
    use super::*;

    fn drawn(events: &[TraceEvent]) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes, events, &["cuda:0 <A&B>".to_owned()]).expect("a vector takes everything");
        String::from_utf8(bytes).expect("the picture is text")
    }

    fn bars(picture: &str, kind: TraceKind) -> usize {
        let document = roxmltree::Document::parse(picture).expect("the picture is well-formed");
        let of_kind = |node: &roxmltree::Node<'_, '_>| node.attribute("fill") == Some(colour(kind));
        // Only bars have a title as a child: the colour samples in the legend have no children.
        document.descendants().filter(|node| of_kind(node) && node.has_children()).count()
    }

    #[test]
    fn a_picture_is_as_it_was() {
        insta::assert_snapshot!(drawn(&sample()));
    }

    #[test]
    fn every_event_that_can_be_seen_has_a_bar() {
        let picture = drawn(&sample());
        for kind in TraceKind::ALL {
            assert_eq!(bars(&picture, kind), sample().iter().filter(|event| event.kind == kind).count(), "{kind:?}");
        }
        let document = roxmltree::Document::parse(&picture).expect("the picture is well-formed");
        let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains(&"cuda:0 <A&B>"), "{texts:?}");
        assert!(texts.contains(&"device 1"), "{texts:?}");
    }

    #[test]
    fn a_long_run_makes_no_large_picture() {
        let events: Vec<_> = (0..200_000).map(|i| event(TraceKind::Copy, 0, 0, 10 * i, 10 * i + 9)).collect();
        let picture = drawn(&events);
        assert!(picture.len() < 2_000_000, "{} bytes", picture.len());
        assert!((300..1200).contains(&bars(&picture, TraceKind::Copy)));
        assert!(picture.contains("copies going on 90.0 % of it"), "{}", &picture[..900]);
        assert!(picture.contains("fill-opacity=\"0.90\""));
    }

    #[test]
    fn a_trace_of_nothing_is_a_picture() {
        let picture = drawn(&[]);
        assert!(roxmltree::Document::parse(&picture).is_ok(), "{picture}");
    }

    #[test]
    fn marks_stand_at_round_times() {
        assert_eq!(marks(10.0, 10.0), (1.0, "s", 1.0));
        assert_eq!(marks(0.013, 10.0).1, "ms");
        assert!((marks(0.013, 10.0).0 - 0.002).abs() < 1e-12);
        assert!((marks(0.0004, 10.0).0 - 0.00005).abs() < 1e-12);
        assert_eq!(marks(0.0004, 10.0).1, "us");
    }

    #[test]
    fn times_are_for_people() {
        assert_eq!(readable_time(Duration::from_micros(1500)), "1.50 ms");
    }
}
