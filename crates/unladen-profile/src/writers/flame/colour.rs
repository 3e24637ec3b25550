//! Colours of frames by kind and name, and their style sheet.

use std::fmt::Write as _;

use crate::frame::FrameKind;

/// A colour in the OKLCH space: lightness, chroma, hue in degrees (Björn Ottosson, A perceptual color space for image
/// processing, 2020).
pub(super) type Oklch = (f64, f64, f64);

/// All kinds in the legend's order: letter of the class, legend text, colours on a light and on a dark page.
///
/// They differ in lightness and hue to be distinguishable with the usual forms of colour blindness; text on all of them
/// is legible (tested: a contrast of at least 4.5).
pub(super) const KINDS: [(FrameKind, char, &str, Oklch, Oklch); 6] = [
    (FrameKind::Function, 'f', "function", (0.86, 0.125, 78.0), (0.51, 0.110, 65.0)),
    (FrameKind::ClassLookup, 'c', "class look-up", (0.70, 0.150, 0.0), (0.51, 0.145, 352.0)),
    (FrameKind::Include, 'i', "included file", (0.92, 0.120, 142.0), (0.43, 0.075, 160.0)),
    (FrameKind::Native, 'n', "native code", (0.79, 0.095, 255.0), (0.51, 0.105, 240.0)),
    (FrameKind::Kernel, 'k', "kernel", (0.67, 0.110, 280.0), (0.38, 0.100, 275.0)),
    (FrameKind::Group, 'g', "processes", (0.87, 0.0, 0.0), (0.33, 0.0, 0.0)),
];

/// Neighbours of one kind differ a little in hue and lightness.
pub(super) const SHADES: u32 = 6;
const SHADES_HUE: f64 = 16.0;
const SHADES_LIGHTNESS: f64 = 0.024;

pub(super) const STEPS: usize = 5;
const GREY: (Oklch, Oklch) = ((0.89, 0.0, 0.0), (0.36, 0.0, 0.0));
/// From faintest to strongest, on a light and on a dark page.
const GROWN: ((Oklch, Oklch), (Oklch, Oklch)) =
    (((0.91, 0.05, 38.0), (0.70, 0.16, 33.0)), ((0.40, 0.06, 35.0), (0.52, 0.17, 30.0)));
const SHRUNK: ((Oklch, Oklch), (Oklch, Oklch)) =
    (((0.91, 0.04, 240.0), (0.70, 0.13, 248.0)), ((0.40, 0.05, 245.0), (0.52, 0.13, 250.0)));

/// The class of a frame's colour, the same in every picture: `f3`.
pub(super) fn class(kind: FrameKind, name: &str) -> String {
    let letter = KINDS.iter().find(|row| row.0 == kind).map_or('f', |row| row.1);
    // FNV-1a, which is the same everywhere.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{letter}{}", (hash ^ hash >> 16) % SHADES)
}

pub(super) fn shade((lightness, chroma, hue): Oklch, shade: u32) -> Oklch {
    let place = f64::from(shade) / f64::from(SHADES - 1) - 0.5;
    // Lightness and hue vary independently, so that neighbouring shades differ.
    let light = f64::from(shade * 3 % SHADES) / f64::from(SHADES - 1) - 0.5;
    (lightness + light * SHADES_LIGHTNESS, chroma, hue + place * SHADES_HUE)
}

pub(super) fn rules(is_dark: bool, is_compared: bool) -> String {
    let mut rules = String::new();
    if is_compared {
        for (class, colour) in changes(is_dark) {
            let _ = write!(rules, ".{class}{{fill:{}}}", hex(colour));
        }
        return rules;
    }
    for (_, letter, _, light, dark) in KINDS {
        for index in 0..SHADES {
            let _ = write!(rules, ".{letter}{index}{{fill:{}}}", hex(shade(if is_dark { dark } else { light }, index)));
        }
    }
    rules
}

/// Classes of changes with their colours: `u1` to `u5` have grown, `d1` to `d5` have shrunk.
pub(super) fn changes(is_dark: bool) -> Vec<(String, Oklch)> {
    let grey = if is_dark { GREY.1 } else { GREY.0 };
    let mut changes = vec![("e0".to_owned(), grey)];
    for (letter, ends) in [('u', GROWN), ('d', SHRUNK)] {
        let (faint, strong) = if is_dark { ends.1 } else { ends.0 };
        changes.extend((1..=STEPS).map(|step| {
            let part = (step - 1) as f64 / (STEPS - 1) as f64;
            let between = |from: f64, to: f64| from + (to - from) * part;
            let colour = (between(faint.0, strong.0), between(faint.1, strong.1), between(faint.2, strong.2));
            (format!("{letter}{step}"), colour)
        }));
    }
    changes
}

/// `#rrggbb`
pub(super) fn hex(colour: Oklch) -> String {
    let [red, green, blue] = srgb(colour).map(|part| (part * 255.0).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Each from 0 to 1, gamma-corrected; colours outside the gamut become the nearest inside.
pub(super) fn srgb(colour: Oklch) -> [f64; 3] {
    linear(colour).map(|part| if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 })
}

/// Linear light, each from 0 to 1.
pub(super) fn linear((lightness, chroma, hue): Oklch) -> [f64; 3] {
    let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
    let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ]
    .map(|part| part.clamp(0.0, 1.0))
}
