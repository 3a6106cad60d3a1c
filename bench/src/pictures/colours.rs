//! Fonts and colours of pictures. The colours are mixed from the variables of the book's theme.
//!
//! Outside the book, where these variables are missing, the colours are those of a light theme.

/// Percent of the colour of links in the accent colour, in light and in dark themes. The rest is the colour of text.
const ACCENT: [u32; 2] = [85, 55];
/// Percent of the colour of text in grey. The rest is the background.
const GREY: u32 = 78;
/// Percent of the colour of links in the pale accent colour. The rest is the background.
const PALE: u32 = 15;

/// Returns the style sheet of a picture. A sheet inside an SVG applies to the whole page, so each rule names the
/// picture.
pub(super) fn sheet(name: &str) -> String {
    let mix = |colour: &str, percent: u32, other: &str| format!("color-mix(in srgb,{colour} {percent}%,{other})");
    let (links, ink, ground) = ("var(--links,#20609f)", "var(--ink)", "var(--ground)");
    let [light, dark] = ACCENT.map(|percent| mix(links, percent, ink));
    let (grey, pale) = (mix(ink, GREY, ground), mix(links, PALE, ground));
    let colours = format!(
        "--ink:var(--fg,#1f2933);--ground:var(--bg,#fff);--blue:light-dark({light},{dark});--grey:{grey};--pale:{pale}"
    );
    let rules = [
        ("", colours.as_str()),
        (" text", "font:16px 'Open Sans',Helvetica,Arial,sans-serif;fill:var(--ink)"),
        (" .bold", "font-weight:600"),
        (" .muted", "fill:var(--grey)"),
        (" .blue", "fill:var(--blue)"),
        (" .inverse", "fill:var(--ground)"),
        (" .code", "font:15px 'Source Code Pro',Consolas,Menlo,'DejaVu Sans Mono',monospace"),
        (" .ground", "fill:var(--ground)"),
        (" .paper", "fill:var(--ground);stroke:var(--grey)"),
        (" .wall", "fill:var(--quote-bg,#f1f6f9);stroke:var(--grey)"),
        (" .tint", "fill:var(--pale);stroke:var(--blue);stroke-width:1.5"),
        (" .accent", "fill:var(--blue);stroke:var(--blue)"),
        (" .grey", "fill:none;stroke:var(--grey);stroke-width:1.25"),
        (" .dashed", "stroke-dasharray:4 4"),
        (" .hot", "fill:none;stroke:var(--blue);stroke-width:2.5"),
        (" .head", "fill:var(--grey)"),
        (" .head.blue", "fill:var(--blue)"),
    ];
    rules.iter().map(|(selector, rule)| format!("#picture-{name}{selector}{{{rule}}}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue, from 0 to 255.
    type Rgb = [f64; 3];

    /// Themes of mdBook 0.5: the background, the background of quotes, and the colours of text and links,
    /// with the place of the theme in `ACCENT`.
    const THEMES: [(&str, [Rgb; 4], usize); 2] = [
        ("light", [[255.0, 255.0, 255.0], [241.0, 247.0, 249.0], [0.0, 0.0, 0.0], [32.0, 96.0, 159.0]], 0),
        ("navy", [[22.0, 25.0, 35.0], [37.0, 40.0, 50.0], [188.0, 189.0, 208.0], [43.0, 121.0, 162.0]], 1),
    ];

    fn mixed(one: Rgb, percent: u32, other: Rgb) -> Rgb {
        let share = f64::from(percent) / 100.0;
        [0, 1, 2].map(|part| share * one[part] + (1.0 - share) * other[part])
    }

    /// Returns the relative luminance as defined by WCAG 2.
    fn luminance(colour: Rgb) -> f64 {
        let linear = colour.map(|part| match part / 255.0 {
            part if part <= 0.03928 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn text_and_lines_contrast_with_every_surface() {
        for (theme, [ground, wall, ink, links], place) in THEMES {
            let blue = mixed(links, ACCENT[place], ink);
            let pale = mixed(links, PALE, ground);
            for (name, colour) in [("ink", ink), ("blue", blue), ("grey", mixed(ink, GREY, ground))] {
                for (surface, behind) in [("ground", ground), ("wall", wall), ("pale", pale)] {
                    let contrast = contrast(colour, behind);
                    assert!(contrast >= 4.5, "{theme}: {name} on {surface}: {contrast:.2}");
                }
            }
        }
    }
}
