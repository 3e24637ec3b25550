//! One real run: `unladen weigh` against a server that burns a known time.
//!
//! Measures: CPU time against a truth.

use std::time::Duration;

use unladen_accuracy::real::{Binaries, Neighbour, Setting};

#[test]
fn a_known_cost_is_weighed_right_in_the_server_and_in_its_short_lived_child() {
    let binaries = Binaries::build().unwrap();
    let phase = Some(Duration::from_millis(400));
    let setting = Setting { time: Duration::from_secs(13), phase, ..Setting::beside(Neighbour::Nothing, 7) };
    for weighed in setting.run(&binaries).unwrap() {
        assert!(weighed.error().abs() < 0.05, "{weighed:?}");
        assert!(weighed.half_width() < 0.2, "{weighed:?}");
    }
}
