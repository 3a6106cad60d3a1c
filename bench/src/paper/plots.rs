//! Draws figures as SVG: charts in a grid, with reference values in grey.

use super::figure::{Chart, Drawing, Figure, Line, Unit};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

/// Width and height of a chart including its legend, in pixels.
const CHART: (u32, u32) = (800, 420);
/// Width, distance from the top, and line height of the legend, in pixels.
const LEGEND: (u32, i32, i32) = (200, 44, 20);
/// Ratio of the largest to the smallest value above which the scale is logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;
/// Fraction of a category's width that its bars occupy.
const BARS: f64 = 0.7;
/// Colours that most readers can distinguish: first those of M. Okabe and K. Ito, then some by P. Tol for charts with
/// many lines.
const COLOURS: [RGBColor; 14] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(51, 34, 136),
    RGBColor(136, 34, 85),
    RGBColor(153, 153, 51),
    RGBColor(17, 119, 51),
    RGBColor(170, 68, 153),
    RGBColor(221, 204, 119),
    RGBColor(102, 102, 102),
];
const GREY: RGBColor = RGBColor(130, 130, 130);

/// An axis with labelled marks.
#[derive(Clone, Debug, PartialEq)]
struct Scale {
    /// Whether the scale is logarithmic.
    logarithmic: bool,
    /// The values at both ends of the axis.
    ends: (f64, f64),
    /// Marked values with their labels.
    marks: Vec<(f64, String)>,
}

impl Scale {
    /// Creates a scale with one mark per label, at 0, 1, 2 and so on.
    fn of_places(places: &[String]) -> Self {
        let marks = places.iter().enumerate().map(|(place, text)| (place as f64, text.clone())).collect();
        Self { logarithmic: false, ends: (-0.5, places.len().max(1) as f64 - 0.5), marks }
    }

    /// Creates a scale that covers all values. A linear scale starts at 0. `name` formats the value of a mark.
    fn of_values(values: impl Iterator<Item = f64> + Clone, name: impl Fn(f64) -> String) -> Self {
        let highest = values.clone().fold(0.0, f64::max).max(1e-12);
        let lowest = values.filter(|value| *value > 0.0).fold(highest, f64::min);
        let logarithmic = highest / lowest > LOGARITHMIC_FROM;
        let ends = if logarithmic { (lowest / 1.5, highest * 1.5) } else { (0.0, highest * 1.1) };
        let marks = ticks(logarithmic, ends).into_iter().map(|tick| (tick, name(tick))).collect();
        Self { logarithmic, ends, marks }
    }
}

/// Returns the values of the grid lines: powers of ten times 1, 2 and 5.
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

/// Returns the figure as the text of an SVG file.
pub(super) fn svg(figure: &Figure) -> Result<String, Failure> {
    draw(figure)
        .map_err(|error| Failure::other(format!("the plot of {} cannot be drawn: {error}", figure.name), "report it"))
}

/// Returns the numbers of rows and columns of the grid. Up to three charts share one row; more charts form two columns.
fn grid(charts: usize) -> (usize, usize) {
    match charts {
        0 => (1, 1),
        1..=3 => (1, charts),
        more => (more.div_ceil(2), 2),
    }
}

fn draw(figure: &Figure) -> Result<String, Box<dyn Error>> {
    let (rows, columns) = grid(figure.charts.len());
    let size = (u32::try_from(columns)? * CHART.0, u32::try_from(rows)? * CHART.1 + 40);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&WHITE)?;
        let area = area.titled(figure.title, ("sans-serif", 20)).map_err(|error| error.to_string())?;
        for (part, chart) in area.split_evenly((rows, columns)).iter().zip(&figure.charts) {
            draw_chart(part, figure.across, chart).map_err(|error| error.to_string())?;
        }
        area.present().map_err(|error| error.to_string())?;
    }
    Ok(text)
}

/// Formats a value for readers.
fn name(unit: Unit, value: f64) -> String {
    match unit {
        _ if value == 0.0 => "0".to_owned(),
        Unit::Seconds => units::seconds(value),
        Unit::Nanoseconds => format!("{value:.3} ns"),
        Unit::Times => rounded(value),
        Unit::Percent => format!("{} %", rounded(100.0 * value)),
    }
}

/// Formats a value with at most six decimals, to hide rounding errors.
fn rounded(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Plane = Cartesian2d<Scale, Scale>;
type DrawingError = DrawingAreaErrorKind<std::io::Error>;

fn draw_chart(area: &Area<'_>, across: &str, chart: &Chart) -> Result<(), DrawingError> {
    let values = chart.lines.iter().chain(&chart.reference).flat_map(|line| line.points.iter().map(|point| point.1));
    let upward = Scale::of_values(values, |value| name(chart.unit, value));
    let bottom = upward.ends.0;
    let (area, legend) = area.split_horizontally(CHART.0 - LEGEND.0);
    let mut plane = ChartBuilder::on(&area)
        .margin(12)
        .caption(&chart.title, ("sans-serif", 16))
        .x_label_area_size(44)
        .y_label_area_size(86)
        .build_cartesian_2d(Scale::of_places(&chart.places), upward)?;
    plane
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GREY.mix(0.3))
        .light_line_style(TRANSPARENT)
        .x_desc(across)
        .y_desc(&chart.upward)
        .x_labels(chart.places.len())
        .y_labels(8)
        .draw()?;

    for (index, line) in chart.lines.iter().enumerate() {
        let colour = COLOURS[line.colour % COLOURS.len()];
        match chart.drawing {
            Drawing::Lines => draw_line(&mut plane, line, colour)?,
            Drawing::Bars => {
                let width = BARS / chart.lines.len() as f64;
                let left = index as f64 * width - BARS / 2.0;
                let bar =
                    |(x, y): (f64, f64)| Rectangle::new([(x + left, bottom), (x + left + width, y)], colour.filled());
                plane.draw_series(points(line).into_iter().map(bar))?;
            }
        }
    }
    if let Some(line) = &chart.reference {
        draw_reference(&mut plane, line)?;
    }
    draw_legend(&legend, chart)
}

/// Draws the legend next to the plotted area.
fn draw_legend(area: &Area<'_>, chart: &Chart) -> Result<(), DrawingError> {
    let (_, top, height) = LEGEND;
    let reference = chart.reference.iter().map(|line| (line, GREY));
    let lines = chart.lines.iter().map(|line| (line, COLOURS[line.colour % COLOURS.len()]));
    for ((line, colour), row) in lines.chain(reference).zip(0..) {
        let y = top + row * height;
        let is_bar = chart.drawing == Drawing::Bars && colour != GREY;
        match (is_bar, line.predicted) {
            (true, _) => area.draw(&Rectangle::new([(0, y - 5), (18, y + 5)], colour.filled()))?,
            (false, true) => {
                for x in [0, 11] {
                    area.draw(&PathElement::new([(x, y), (x + 7, y)], colour.stroke_width(2)))?;
                }
            }
            (false, false) => area.draw(&PathElement::new([(0, y), (18, y)], colour.stroke_width(2)))?,
        }
        area.draw(&Text::new(line.name.as_str(), (24, y - 6), ("sans-serif", 12)))?;
    }
    Ok(())
}

fn points(line: &Line) -> Vec<(f64, f64)> {
    line.points.iter().map(|(place, value)| (*place as f64, *value)).collect()
}

fn draw_line(
    plane: &mut ChartContext<'_, SVGBackend<'_>, Plane>,
    line: &Line,
    colour: RGBColor,
) -> Result<(), DrawingError> {
    let (style, points) = (colour.stroke_width(2), points(line));
    if line.predicted {
        plane.draw_series(DashedLineSeries::new(points, 8, 5, style))?;
        return Ok(());
    }
    plane.draw_series(points.iter().map(|point| Circle::new(*point, 4, colour.filled())))?;
    plane.draw_series(std::iter::once(PathElement::new(points, style)))?;
    Ok(())
}

/// Draws each reference value as a dash.
fn draw_reference(plane: &mut ChartContext<'_, SVGBackend<'_>, Plane>, line: &Line) -> Result<(), DrawingError> {
    let mut dashes = points(line);
    dashes.dedup();
    let dash = |(x, y): (f64, f64)| PathElement::new([(x - 0.45, y), (x + 0.45, y)], GREY.stroke_width(2));
    plane.draw_series(dashes.into_iter().map(dash))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::gts::timings::tests::sample;
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
    fn many_charts_stand_in_two_columns() {
        let chart = sample(Drawing::Lines).charts.remove(0);
        for (charts, size) in
            [(2, (2 * CHART.0, CHART.1)), (4, (2 * CHART.0, 2 * CHART.1)), (5, (2 * CHART.0, 3 * CHART.1))]
        {
            let figure = Figure { charts: vec![chart.clone(); charts], ..sample(Drawing::Lines) };
            let text = svg(&figure).unwrap();
            let head = format!("width=\"{}\" height=\"{}\"", size.0, size.1 + 40);
            assert!(text[..200].contains(&head), "{}", &text[..200]);
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
