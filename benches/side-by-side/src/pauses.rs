//! The principal type is [`Pauses`]: when the server answers nothing.

use std::time::Duration;

/// From `after` on, for `length`, again and again `every` so often; since the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pauses {
    pub(crate) after: Duration,
    pub(crate) length: Duration,
    pub(crate) every: Duration,
}

impl Pauses {
    /// When the pause that is on at this time ends.
    pub(crate) fn end(&self, at: Duration) -> Option<Duration> {
        let into = u64::try_from(at.as_nanos()).ok()? % u64::try_from(self.every.as_nanos()).ok()?;
        let into = Duration::from_nanos(into);
        (self.after..self.after + self.length).contains(&into).then(|| at + (self.after + self.length - into))
    }

    /// What who comes at a constant rate for this time waits for the pauses, the shortest wait first.
    pub(crate) fn waits(&self, rate: u64, time: Duration) -> Vec<Duration> {
        let requests = u64::try_from(time.as_nanos() * u128::from(rate) / 1_000_000_000).unwrap_or(u64::MAX);
        let planned = (0..requests).map(|k| Duration::from_nanos(k * 1_000_000_000 / rate));
        let mut waits: Vec<_> = planned.map(|at| self.end(at).map_or(Duration::ZERO, |end| end - at)).collect();
        waits.sort_unstable();
        waits
    }

    /// As the words of a command line, in ms.
    pub(crate) fn words(&self) -> [String; 3] {
        [self.after, self.length, self.every].map(|time| time.as_millis().to_string())
    }

    pub(crate) fn from_words(words: &[String]) -> crate::Result<Option<Self>> {
        let [after, length, every] = words else { return Ok(None) };
        let ms = |word: &String| word.parse().map(Duration::from_millis);
        Ok(Some(Self { after: ms(after)?, length: ms(length)?, every: ms(every)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PAUSES: Pauses = Pauses { after: Duration::from_secs(4), length: SECOND, every: Duration::from_secs(10) };

    #[test]
    fn a_pause_comes_back() {
        assert_eq!(PAUSES.end(SECOND * 3), None);
        assert_eq!(PAUSES.end(SECOND * 4), Some(SECOND * 5));
        assert_eq!(PAUSES.end(SECOND * 29 / 2), Some(SECOND * 15));
        assert_eq!(PAUSES.end(SECOND * 15), None);
    }

    #[test]
    fn one_in_ten_waits_for_up_to_the_pause() {
        let waits = PAUSES.waits(200, SECOND * 30);
        assert_eq!(waits.len(), 6_000);
        assert_eq!(waits.iter().filter(|wait| **wait > Duration::ZERO).count(), 600);
        assert_eq!((waits[5_399], waits[5_999]), (Duration::ZERO, SECOND));
        assert!((waits[5_700].as_secs_f64() - 0.5).abs() < 0.01);
    }

    #[test]
    fn pauses_survive_a_command_line() {
        assert_eq!(Pauses::from_words(&PAUSES.words()).unwrap(), Some(PAUSES));
        assert_eq!(Pauses::from_words(&[]).unwrap(), None);
    }
}
