//! Figures as SVG: a chart for each algorithm, side by side, with the reference as a grey line.

use super::figure::{Drawing, Figure, Quantity, Row};
use crate::error::Failure;
use crate::units;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

/// Pixels of a chart.
const CHART: (u32, u32) = (620, 420);
/// Times that differ by more are drawn on a logarithmic scale.
const LOGARITHMIC_FROM: f64 = 20.0;
/// The part of a place's width that its bars take.
const BARS: f64 = 0.7;
/// Colours that most eyes tell apart, by M. Okabe and K. Ito.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];
const GREY: RGBColor = RGBColor(130, 130, 130);

/// A scale with marks of its own, from left to right or from bottom to top.
#[derive(Clone, Debug, PartialEq)]
struct Scale {
    /// Whether it is logarithmic.
    logarithmic: bool,
    /// The lowest and highest value.
    ends: (f64, f64),
    /// Values that are marked, and what stands there.
    marks: Vec<(f64, String)>,
}

impl Scale {
    /// One with a place for each of some texts, counted from 0.
    fn of_places(places: &[&str]) -> Self {
        let marks = places.iter().enumerate().map(|(place, text)| (place as f64, (*text).to_owned())).collect();
        Self { logarithmic: false, ends: (-0.5, places.len().max(1) as f64 - 0.5), marks }
    }

    /// One that shows all of these, from 0 unless it is logarithmic; `name` tells a value.
    fn of_values(values: impl Iterator<Item = f64> + Clone, name: impl Fn(f64) -> String) -> Self {
        let highest = values.clone().fold(0.0, f64::max).max(1e-12);
        let lowest = values.filter(|value| *value > 0.0).fold(highest, f64::min);
        let logarithmic = highest / lowest > LOGARITHMIC_FROM;
        let ends = if logarithmic { (lowest / 1.5, highest * 1.5) } else { (0.0, highest * 1.1) };
        let marks = ticks(logarithmic, ends).into_iter().map(|tick| (tick, name(tick))).collect();
        Self { logarithmic, ends, marks }
    }
}

/// Values for lines across a chart: 1, 2 and 5 times powers of ten.
fn ticks(logarithmic: bool, (low, high): (f64, f64)) -> Vec<f64> {
    let shown = |ticks: Vec<f64>| ticks.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
    if logarithmic {
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        return shown(powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power))).collect());
    }
    let power = 10f64.powf((high / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| high / step <= 6.0);
    let step = step.unwrap_or(high);
    shown((0..=6).map(|count| f64::from(count) * step).collect())
}

impl Ranged for Scale {
    type ValueType = f64;
    type FormatOption = NoDefaultFormatting;

    fn range(&self) -> Range<f64> {
        self.ends.0..self.ends.1
    }

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let (low, high) = self.ends;
        let share = match self.logarithmic {
            true => (value.max(low) / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let bold = hint.bold_points() > 0;
        self.marks.iter().map(|(value, _)| *value).filter(|_| bold).collect()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.marks.iter().find(|(mark, _)| mark == value).map_or(String::new(), |(_, text)| text.clone())
    }
}

/// The figure as the text of an SVG file.
pub(super) fn svg(figure: &Figure) -> Result<String, Failure> {
    draw(figure)
        .map_err(|error| Failure::other(format!("the plot of {} cannot be drawn: {error}", figure.name), "report it"))
}

fn draw(figure: &Figure) -> Result<String, Box<dyn Error>> {
    let algorithms = figure.distinct(|row| row.algorithm);
    let charts = u32::try_from(algorithms.len().max(1))?;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (charts * CHART.0, CHART.1 + 40)).into_drawing_area();
        area.fill(&WHITE)?;
        let area = area.titled(figure.title, ("sans-serif", 20)).map_err(|error| error.to_string())?;
        for (part, algorithm) in area.split_evenly((1, charts as usize)).iter().zip(algorithms) {
            chart(part, figure, algorithm).map_err(|error| error.to_string())?;
        }
        area.present().map_err(|error| error.to_string())?;
    }
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Plane = Cartesian2d<Scale, Scale>;
type DrawingError = DrawingAreaErrorKind<std::io::Error>;

fn chart(area: &Area<'_>, figure: &Figure, algorithm: &str) -> Result<(), DrawingError> {
    let rows: Vec<&Row> = figure.rows.iter().filter(|row| row.algorithm == algorithm).collect();
    let places = figure.distinct(|row| &row.place);
    let all = rows.iter().flat_map(|row| [figure.drawn(row), figure.drawn_reference(row)]);
    let upward = Scale::of_values(all, |value| match figure.quantity {
        _ if value == 0.0 => "0".to_owned(),
        Quantity::TimeAnEdge => format!("{:.3} ns", value * 1e9),
        Quantity::Time => units::seconds(value),
    });
    let bottom = upward.ends.0;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(algorithm, ("sans-serif", 16))
        .x_label_area_size(44)
        .y_label_area_size(86)
        .build_cartesian_2d(Scale::of_places(&places), upward)?;

    let unit = rows.first().map_or("run", |row| row.unit);
    let label = match figure.quantity {
        Quantity::Time => format!("time of {} {unit}", if unit.starts_with('i') { "an" } else { "a" }),
        Quantity::TimeAnEdge => "time an edge".to_owned(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GREY.mix(0.3))
        .light_line_style(TRANSPARENT)
        .x_desc(figure.across)
        .y_desc(label)
        .x_labels(places.len())
        .y_labels(8)
        .draw()?;

    let at = |row: &Row| places.iter().position(|place| *place == row.place).unwrap_or(0) as f64;
    let all_series = figure.distinct(|row| &row.series);
    let drawn: Vec<&str> =
        all_series.iter().copied().filter(|series| rows.iter().any(|row| row.series == *series)).collect();
    for (index, series) in drawn.iter().enumerate() {
        let place = all_series.iter().position(|other| other == series).unwrap_or(index);
        let colour = COLOURS[place % COLOURS.len()];
        let points: Vec<_> =
            rows.iter().filter(|row| row.series == *series).map(|row| (at(row), figure.drawn(row))).collect();
        match figure.drawing {
            Drawing::Lines => line(&mut chart, points, colour, series)?,
            Drawing::Bars => {
                let width = BARS / drawn.len() as f64;
                let left = index as f64 * width - BARS / 2.0;
                let bar =
                    |(x, y): (f64, f64)| Rectangle::new([(x + left, bottom), (x + left + width, y)], colour.filled());
                chart
                    .draw_series(points.into_iter().map(bar))?
                    .label(*series)
                    .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
            }
        }
    }
    reference(&mut chart, figure, &rows, &at)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(GREY)
        .draw()
}

fn line(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Plane>,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    label: &str,
) -> Result<(), DrawingError> {
    let style = colour.stroke_width(2);
    chart.draw_series(points.iter().map(|point| Circle::new(*point, 4, colour.filled())))?;
    chart
        .draw_series(std::iter::once(PathElement::new(points, style)))?
        .label(label)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], style));
    Ok(())
}

/// What the times are held against: a dash at each place.
fn reference(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Plane>,
    figure: &Figure,
    rows: &[&Row],
    at: &dyn Fn(&Row) -> f64,
) -> Result<(), DrawingError> {
    let mut dashes: Vec<(f64, f64)> = rows.iter().map(|row| (at(row), figure.drawn_reference(row))).collect();
    dashes.dedup();
    let dash = |(x, y): (f64, f64)| PathElement::new([(x - 0.45, y), (x + 0.45, y)], GREY.stroke_width(2));
    let mut names: Vec<&str> = rows.iter().map(|row| row.reference.what).collect();
    names.dedup();
    chart
        .draw_series(dashes.into_iter().map(dash))?
        .label(names.join(", "))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 14, y)], GREY.stroke_width(2)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::figure::tests::sample;
    use super::*;

    #[test]
    fn plots_name_what_they_show() {
        for drawing in [Drawing::Lines, Drawing::Bars] {
            let text = svg(&sample(drawing)).unwrap();
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
            for part in ["pagerank", "bfs", "lru", "scan", "25 %", "plain copy", "time of an iteration"] {
                assert!(text.contains(part), "{part} is not in {text}");
            }
        }
    }

    #[test]
    fn times_far_apart_are_drawn_by_their_powers() {
        let scale = |values: &[f64]| Scale::of_values(values.iter().copied(), |value| value.to_string());
        let near = scale(&[0.5, 1.0]);
        assert_eq!((near.logarithmic, near.ends.0), (false, 0.0));
        assert_eq!(near.marks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>()[..2], ["0", "0.2"]);
        assert_eq!((near.map(&0.0, (200, 0)), near.map(&0.55, (200, 0))), (200, 100));
        let far = scale(&[0.001, 1.0]);
        assert!(far.logarithmic);
        assert_eq!(far.marks.len(), 10, "{far:?}");
        let steps = [0.001, 0.01, 0.1].map(|value| far.map(&value, (0, 1000)));
        assert!((steps[1] - steps[0] - (steps[2] - steps[1])).abs() <= 1, "{steps:?}");
        assert!(!scale(&[]).logarithmic);
    }
}
