//! For how long it may run: `unladen serve` under a mixed load with faults, and the measuring commands against servers
//! that treat them badly. Memory and descriptors stay as they are after the warm-up, and no answer is wrong that no
//! fault explains.
//!
//! `make soak` runs all of it for `UNLADEN_SOAK` each (`30m`, `90s`); docs/reference/soak.md has the figures. In
//! `make test` `serve`, `classmap` and `profile` run for seconds: what of them leaks with every request, or is left behind,
//! shows even then.
//!
//! Long: six profiles, each with an end of its own.

mod gauge;
mod mapping;
mod measuring;
mod mixed;
mod profiling;

use std::time::Duration;

/// How long each is to run, if the environment does not say.
const LONG: Duration = Duration::from_secs(600);

fn length() -> Duration {
    let Ok(text) = std::env::var("UNLADEN_SOAK") else { return LONG };
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().unwrap_or_else(|_| panic!("UNLADEN_SOAK={text}: expected 90s or 30m"));
    match unit {
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(60 * number),
        _ => panic!("UNLADEN_SOAK={text}: expected 90s or 30m"),
    }
}

#[test]
fn a_short_mixed_load_with_faults_leaves_nothing_behind() {
    mixed::run(Duration::from_secs(8), false);
}

#[test]
fn a_map_is_whole_while_files_come_and_go() {
    mapping::run(Duration::from_secs(8), false);
}

#[test]
fn a_profile_leaves_nothing_behind_whatever_ends_it() {
    profiling::run(Duration::from_secs(1), false);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn serve_is_flat_under_a_mixed_load_with_faults() {
    mixed::run(length(), true);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn load_is_flat_against_a_hostile_server() {
    measuring::load(length());
}

#[test]
#[ignore = "minutes: `make soak`"]
fn weigh_is_flat_against_a_bad_server() {
    measuring::weigh(length());
}

#[test]
#[ignore = "minutes: `make soak`"]
fn prove_is_flat_against_a_bad_server() {
    measuring::prove(length());
}

#[test]
#[ignore = "minutes: `make soak`"]
fn classmap_is_flat_while_files_come_and_go() {
    mapping::run(length(), true);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn profile_leaves_nothing_behind_whatever_ends_it() {
    profiling::run(length(), true);
}
