//! That colours can be read and told apart.

use super::super::colour::{KINDS, Oklch, SHADES, changes, class, linear, shade};
use super::*;

fn luminance(colour: Oklch) -> f64 {
    let [red, green, blue] = linear(colour);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// WCAG 2.2, contrast ratio.
fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn letters_can_be_read_on_every_box() {
    // #111 on a light page, #fff on a dark one.
    let letters = [0.0056, 1.0];
    for (is_dark, letters) in [(false, letters[0]), (true, letters[1])] {
        let kinds = KINDS.iter().flat_map(|(.., light, dark)| {
            (0..SHADES).map(move |index| shade(if is_dark { *dark } else { *light }, index))
        });
        for colour in kinds.chain(changes(is_dark).into_iter().map(|(_, colour)| colour)) {
            let contrast = contrast(luminance(colour), letters);
            assert!(contrast >= 4.5, "{colour:?}: {contrast}");
        }
    }
}

/// What is left of colours without one kind of cones (Machado, Oliveira and Fernandes, A physiologically-based model
/// for simulation of color vision deficiency, 2009): all of them, without red, without green.
const EYES: [[[f64; 3]; 3]; 3] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
];

/// In the space OKLab, in which distances are what people see.
fn seen(colour: Oklch, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    let light = linear(colour);
    let dot = |row: &[f64; 3]| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0);
    let [red, green, blue] = [dot(&eye[0]), dot(&eye[1]), dot(&eye[2])];
    let long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue).cbrt();
    let medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue).cbrt();
    let short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue).cbrt();
    [
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    ]
}

fn distance(one: Oklch, other: Oklch, eye: &[[f64; 3]; 3]) -> f64 {
    seen(one, eye).iter().zip(seen(other, eye)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// About three times what is just told apart.
const TOLD_APART: f64 = 0.06;

#[test]
fn kinds_are_told_apart_by_every_eye() {
    for eye in &EYES {
        for (index, one) in KINDS.iter().enumerate() {
            for other in &KINDS[..index] {
                for (one_colour, other_colour) in [(one.3, other.3), (one.4, other.4)] {
                    let distance = distance(one_colour, other_colour, eye);
                    assert!(distance >= TOLD_APART, "{} and {}: {distance} {eye:?}", one.2, other.2);
                }
            }
        }
    }
}

#[test]
fn grown_and_shrunk_are_told_apart_by_every_eye() {
    for is_dark in [false, true] {
        let changes = changes(is_dark);
        let of = |class: &str| changes.iter().find(|change| change.0 == class).unwrap().1;
        for eye in &EYES {
            for (one, other) in [("u1", "d1"), ("u3", "d3"), ("u5", "d5"), ("u3", "e0"), ("d3", "e0")] {
                let distance = distance(of(one), of(other), eye);
                assert!(distance >= TOLD_APART, "{one} and {other}: {distance} {eye:?}");
            }
        }
    }
}

#[test]
fn a_name_has_one_colour_in_all_pictures() {
    assert_eq!(class(FrameKind::Function, "main"), class(FrameKind::Function, "main"));
    let classes: std::collections::HashSet<_> = (0..50).map(|n| class(FrameKind::Function, &format!("f{n}"))).collect();
    assert_eq!(classes.len(), SHADES as usize);
    assert!(class(FrameKind::Kernel, "main").starts_with('k'));
}
