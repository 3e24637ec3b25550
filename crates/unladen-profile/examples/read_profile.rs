//! Reads a profile and prints what is in it, its stacks as nytprofcalls does, and the most memory that took: for tests
//! of readers.
//!
//! `cargo run -p unladen-profile --example read_profile -- FILE [stacks|calls|totals]`
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use unladen_profile::{FrameId, Profile, StackId, read};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(file), what) = (args.next(), args.next()) else {
        eprintln!("usage: read_profile FILE [stacks|calls|totals]");
        return ExitCode::from(2);
    };
    let profile = match read(Path::new(&file), None) {
        Ok(profile) => profile,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match what.as_deref() {
        Some("stacks") => stacks(&profile),
        Some("calls") => calls(&profile),
        _ => totals(&profile),
    }
    ExitCode::SUCCESS
}

fn name(profile: &Profile, frame: FrameId) -> &str {
    profile.frames.get(frame).name
}

fn path(profile: &Profile, stack: StackId) -> String {
    let names: Vec<&str> = profile.stacks.outwards_in(stack).into_iter().map(|frame| name(profile, frame)).collect();
    names.join(";")
}

fn stacks(profile: &Profile) {
    for (stack, weight) in profile.stacks.iter().zip(profile.self_weights()).filter(|(_, weight)| *weight > 0) {
        println!("{} {weight}", path(profile, stack));
    }
}

fn calls(profile: &Profile) {
    let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for count in profile.clusters.iter().flat_map(|cluster| &cluster.calls) {
        let caller = count.caller.map_or("", |caller| name(profile, caller));
        *sums.entry((caller, name(profile, count.callee))).or_default() += count.calls;
    }
    for ((caller, callee), calls) in sums {
        println!("{caller};{callee} {calls}");
    }
}

fn totals(profile: &Profile) {
    println!(
        "{} clusters, {} frames, {} stacks, {} {}, {} calls",
        profile.clusters.len(),
        profile.frames.len(),
        profile.stacks.len(),
        profile.total(),
        profile.about.unit.into_str(),
        profile.clusters.iter().flat_map(|cluster| &cluster.calls).map(|count| count.calls).sum::<u64>()
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{line}");
    }
}
