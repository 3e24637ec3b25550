//! The principal type is [`Timetable`]: what is due when, and the timer that tells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::time::clock_gettime;

/// Times are ns of `CLOCK_MONOTONIC`.
pub(crate) fn now() -> nix::Result<u64> {
    let now = Duration::from(clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC)?);
    Ok(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
}

#[derive(Debug)]
pub(crate) struct Timetable<T> {
    timer: TimerFd,
    entries: BinaryHeap<Reverse<(u64, T)>>,
    /// What the timer is set to.
    set: Option<u64>,
}

impl<T: Ord + Copy> Timetable<T> {
    pub(crate) fn new() -> nix::Result<Self> {
        // Such a timer has no slack, unlike the time-outs of poll and its kin.
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        Ok(Self { timer, entries: BinaryHeap::new(), set: None })
    }

    pub(crate) fn add(&mut self, at: u64, what: T) {
        self.entries.push(Reverse((at, what)));
    }

    /// The first of those that are due, with its time.
    pub(crate) fn pop(&mut self, now: u64) -> Option<(u64, T)> {
        let Reverse((at, _)) = self.entries.peek()?;
        if *at > now {
            return None;
        }
        self.entries.pop().map(|Reverse(entry)| entry)
    }

    /// Sets the timer to the first entry. To be called before each wait.
    pub(crate) fn set(&mut self) -> nix::Result<()> {
        let Some(Reverse((first, _))) = self.entries.peek() else {
            // An old expiry that wakes us once does no harm.
            return Ok(());
        };
        if self.set != Some(*first) {
            // A time of 0 would switch it off.
            let time = TimeSpec::from(Duration::from_nanos((*first).max(1)));
            self.timer.set(Expiration::OneShot(time), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            self.set = Some(*first);
        }
        Ok(())
    }
}

impl<T> AsFd for Timetable<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_when_they_are_due_the_first_one_first() {
        let mut table = Timetable::new().unwrap();
        for at in [30, 10, 20] {
            table.add(at, 'x');
        }
        assert_eq!(table.pop(9), None);
        assert_eq!((table.pop(25), table.pop(25), table.pop(25)), (Some((10, 'x')), Some((20, 'x')), None));
        table.set().unwrap();
        assert_eq!(table.set, Some(30));
        // In the past, and so at once.
        table.timer.wait().unwrap();
    }
}
