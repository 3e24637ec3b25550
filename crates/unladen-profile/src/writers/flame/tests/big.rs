//! Pictures of much.

use super::*;
use std::time::Instant;

#[test]
fn stacks_of_any_depth_are_drawn_without_recursion() {
    let mut profile = Profile::new(About::default());
    let frame = profile.frames.intern(Frame::function("again"));
    let stack = profile.stacks.intern(std::iter::repeat_n(frame, 100_000));
    let request = profile.begin_request();
    profile.add(request, stack, 1);
    let svg = svg(&profile, &FlameStyle::of(&profile));
    assert!(svg.contains("too deep"), "{}", &svg[..3_000]);
    assert!(svg.len() < 1_000_000, "{}", svg.len());
}

#[test]
fn weights_that_overflow_are_still_drawn() {
    let mut profile = page();
    let stack = profile.stacks.iter().next_back().unwrap();
    let request = profile.begin_request();
    for _ in 0..3 {
        profile.add(request, stack, u64::MAX);
    }
    let svg = svg(&profile, &FlameStyle::of(&profile));
    assert!(!svg.contains("NaN") && !svg.contains("inf\""));
}

/// A million stacks of a program that calls now this, now that.
fn million() -> Profile {
    let mut profile = Profile::new(About { are_requests: true, ..About::default() });
    let frames: Vec<_> = (0..5_000)
        .map(|n| profile.frames.intern(Frame::function(&format!("Namespace{}\\Class{n}::call", n % 37))))
        .collect();
    let mut seed = 7_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut request = profile.begin_request();
    for n in 0..1_000_000_u64 {
        if n % 1_000 == 999 {
            request = profile.begin_request();
        }
        let mut stack = profile.stacks.root();
        for level in 0..4 + next(30) {
            // Few ways at first, more further up.
            let ways = 2 + level;
            let way = next(ways) * next(ways) / ways;
            stack = profile.stacks.push(stack, frames[(level * 131 + way * 17) as usize % frames.len()]);
        }
        profile.add(request, stack, 1 + next(3));
    }
    profile
}

/// How long a million stacks take: `cargo test --release -p unladen-profile million -- --ignored --nocapture`.
#[test]
#[ignore = "how long it takes is looked at by hand"]
fn a_million_stacks() {
    let profile = million();
    let start = Instant::now();
    let svg = svg(&profile, &FlameStyle::of(&profile));
    let took = start.elapsed();
    eprintln!("{} stacks, {} bytes, {} boxes: {took:?}", profile.stacks.len(), svg.len(), svg.matches("<rect").count());
    if let Some(folder) = std::env::var_os("UNLADEN_SVG") {
        std::fs::write(std::path::Path::new(&folder).join("million.svg"), svg).unwrap();
    }
}
