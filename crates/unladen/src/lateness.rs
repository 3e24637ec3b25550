//! [`because`]: whether requests were sent late since the machine was taken away, and not because of the rate.

use unladen_machine::MachineTimes;
use unladen_report::{LateBecause, Taken};

/// A request that was sent no later than this was not late, ns.
const PUNCTUAL: u64 = 1_000_000;
/// A stretch of time in which this part of the time for which there was work was taken, or for which this process was
/// held back, counts as robbed: a tick of 10 ms in half a second of one processor.
const ROBBED: f64 = 0.02;
/// Robbed stretches are the cause if they hold this part of all lateness …
const MOST: f64 = 0.5;
/// … and so many times as much of it, request by request, as the others: steal at all times explains nothing that is
/// there in all of them alike.
const DENSER: f64 = 2.0;

/// A stretch of time, and the requests that were to be sent in it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    pub(crate) times: MachineTimes,
    pub(crate) requests: u64,
    /// The sum over its requests of what is [`beyond`] punctual, ns.
    pub(crate) late_ns: u64,
}

/// What of a lag is late.
pub(crate) fn beyond(lag_ns: u64) -> u64 {
    lag_ns.saturating_sub(PUNCTUAL)
}

/// What was taken, if that is why requests were late; stretches in the order of time.
pub(crate) fn because(stretches: &[Stretch]) -> Option<LateBecause> {
    let is_robbed = |times: &MachineTimes| times.stolen_of_wanted() >= ROBBED || times.throttled_share() >= ROBBED;
    let (mut robbed, mut others) = (Stretch::default(), Stretch::default());
    for (index, stretch) in stretches.iter().enumerate() {
        // The kernel books what was stolen when it runs again, which may be in the next stretch.
        let next = stretches.get(index + 1);
        let is_robbed = is_robbed(&stretch.times) || next.is_some_and(|next| is_robbed(&next.times));
        let sum = if is_robbed { &mut robbed } else { &mut others };
        sum.times = sum.times.plus(stretch.times);
        sum.requests += stretch.requests;
        sum.late_ns = sum.late_ns.saturating_add(stretch.late_ns);
    }
    let share = robbed.late_ns as f64 / robbed.late_ns.saturating_add(others.late_ns).max(1) as f64;
    let density = |sum: &Stretch| sum.late_ns as f64 / sum.requests.max(1) as f64;
    let is_denser = density(&robbed) >= DENSER * density(&others);
    (robbed.late_ns > 0 && share >= MOST && is_denser).then(|| LateBecause {
        taken: Taken { stolen_share: robbed.times.stolen_share(), throttled: robbed.times.throttled },
        lasted: robbed.times.elapsed,
        share,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn stretch(stolen_ms: u64, late_ms: u64) -> Stretch {
        let ms = Duration::from_millis;
        let times = MachineTimes {
            elapsed: ms(250),
            available: ms(500),
            busy: ms(250),
            stolen: ms(stolen_ms),
            ..Default::default()
        };
        Stretch { times, requests: 100, late_ns: late_ms * 1_000_000 }
    }

    #[test]
    fn lateness_that_coincides_with_steal_is_the_hypervisors() {
        let mut stretches = vec![stretch(0, 3); 20];
        stretches[7] = stretch(120, 2_000);
        let because = because(&stretches).unwrap();
        assert!(because.share > 0.9, "{because:?}");
        // The stretch before may hold what was booked in the robbed one.
        assert_eq!(because.lasted, Duration::from_millis(500));
        assert!((because.taken.stolen_share - 0.12).abs() < 1e-9, "{because:?}");
    }

    #[test]
    fn steal_that_is_booked_one_stretch_later_is_found() {
        let mut stretches = vec![stretch(0, 0); 20];
        (stretches[7], stretches[8]) = (stretch(0, 2_000), stretch(120, 0));
        assert!(because(&stretches).is_some());
    }

    #[test]
    fn lateness_that_is_there_without_steal_too_is_not() {
        assert!(because(&[stretch(0, 500); 20]).is_none(), "no steal at all");
        let half: Vec<Stretch> = (0..40).map(|index| stretch(if index < 20 { 100 } else { 0 }, 500)).collect();
        assert!(because(&half).is_none(), "as late with steal as without");
        assert!(because(&[stretch(100, 0); 20]).is_none(), "nobody was late");
        assert!(because(&[]).is_none());
    }

    #[test]
    fn steal_at_all_times_is_the_cause_of_what_is_late() {
        assert!(because(&[stretch(150, 300); 20]).is_some());
    }

    #[test]
    fn a_quota_is_named_as_one() {
        let mut stretches = vec![stretch(0, 0); 20];
        stretches[3] = stretch(0, 900);
        stretches[3].times.throttled = Duration::from_millis(180);
        let because = because(&stretches).unwrap();
        assert_eq!((because.taken.stolen_share, because.taken.throttled), (0.0, Duration::from_millis(180)));
        assert!(because.to_string().contains("cpu.max"), "{because}");
    }

    #[test]
    fn a_millisecond_is_punctual() {
        assert_eq!((beyond(1_000_000), beyond(1_500_000)), (0, 500_000));
    }
}
