//! One real experiment: `unladen prove` compares a server with itself.

use unladen_accuracy::real::{Binaries, Experiment, Neighbour};

#[test]
fn a_server_against_itself_is_about_as_fast() {
    let binaries = Binaries::build().unwrap();
    let proved = Experiment { beside: Neighbour::Nothing, seed: 7 }.of_equals(&binaries).unwrap();
    assert!((0.5..2.0).contains(&proved.ratio), "{proved:?}");
    assert!(proved.low <= proved.ratio && proved.ratio <= proved.high, "{proved:?}");
    // One in twenty may be called, but not all that there is.
    assert!(proved.latencies.len() < 4 && proved.weights.len() < 4, "{proved:?}");
}
