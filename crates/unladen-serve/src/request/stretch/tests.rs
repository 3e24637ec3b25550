use std::time::Duration;

use super::*;

#[test]
fn who_is_not_waited_for_is_not_slow() {
    let pace = Pace { grace: Duration::from_secs(20), rate: Some(500) };
    let (mut stretch, began) = (Stretch::default(), Instant::now());
    let at = |seconds| began + Duration::from_secs(seconds);
    assert_eq!(stretch.until(pace, true, at(0), 100), Some(at(20)));
    assert_eq!(stretch.until(pace, true, at(5), 1100), Some(at(22)));
    assert_eq!(stretch.until(pace, false, at(600), 1100), None);
    assert_eq!(stretch.until(pace, true, at(700), 1200), Some(at(720)));
}
