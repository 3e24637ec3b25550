//! The principal type is [`Stretch`]: how long a client has been waited for, against the [`Pace`] that it has to keep.

use std::time::Instant;

use unladen_serve_config::Pace;

/// How long a client has been waited for at a stretch, and what it has done meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Stretch(Option<(Instant, u64)>);

impl Stretch {
    /// Of a client that is waited for now, or not, and has carried so many bytes in all: when it is too slow, unless
    /// more come. What it did before it was waited for does not count, for it or against it.
    pub(crate) fn until(&mut self, pace: Pace, is_waited_for: bool, now: Instant, bytes: u64) -> Option<Instant> {
        if !is_waited_for {
            self.0 = None;
            return None;
        }
        let (since, before) = *self.0.get_or_insert((now, bytes));
        pace.until(since, bytes.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests {
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
}
