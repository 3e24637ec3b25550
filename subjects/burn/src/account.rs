//! The principal type is [`Account`]: it burns, and knows what was burnt.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// More are not counted.
const MOST_KINDS: usize = 1_000;

/// Burns for one request after another.
pub(crate) struct Account {
    own: Duration,
    child: Duration,
    work: u64,
    child_program: PathBuf,
    /// This process's clock when the account was opened.
    base: Duration,
    burnt: Mutex<Burnt>,
    /// Requests of each kind of page, and the CPU of those who answered them, ns.
    kinds: Mutex<BTreeMap<String, (u64, u128)>>,
}

/// What was burnt so far.
#[derive(Default)]
struct Burnt {
    requests: u32,
    /// By this process, at the end of the last request's burning. What is done after that is inside the next
    /// request's share; asking for the truth is in nobody's.
    own: Duration,
}

impl Account {
    /// Opens it: from here on every request adds `own` to this process's clock, a child of `child` unless that is
    /// nothing, and so many steps of `work`.
    pub(crate) fn open(own: Duration, child: Duration, work: u64, child_program: PathBuf) -> io::Result<Self> {
        Ok(Self { own, child, work, child_program, base: clock()?, burnt: Mutex::default(), kinds: Mutex::default() })
    }

    /// Burns for one request; they take turns.
    pub(crate) fn burn(&self) -> io::Result<()> {
        let mut burnt = self.burnt.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.child.is_zero() {
            self.burn_in_child()?;
        }
        std::hint::black_box(steps(self.work));
        burnt.requests += 1;
        let until = self.own * burnt.requests;
        loop {
            burnt.own = clock()?.saturating_sub(self.base);
            if burnt.own >= until {
                return Ok(());
            }
            std::hint::spin_loop();
        }
    }

    /// Burns so much of this thread's time, whatever else is burnt.
    pub(crate) fn burn_alone(&self, cost: Duration) -> io::Result<()> {
        let until = thread_clock()? + cost;
        while thread_clock()? < until {
            std::hint::spin_loop();
        }
        Ok(())
    }

    /// Adds a request of a kind that took so much, answering included.
    pub(crate) fn add(&self, kind: &str, cost: Duration) {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if kinds.len() < MOST_KINDS || kinds.contains_key(kind) {
            let sum = kinds.entry(kind.to_owned()).or_default();
            *sum = (sum.0 + 1, sum.1 + cost.as_nanos());
        }
    }

    fn burn_in_child(&self) -> io::Result<()> {
        let status = Command::new(&self.child_program)
            .arg(self.child.as_nanos().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("the child: {status}"))) }
    }

    /// What was burnt so far, as JSON.
    pub(crate) fn truth(&self) -> io::Result<String> {
        let burnt = self.burnt.lock().unwrap_or_else(PoisonError::into_inner);
        let children = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let (user, system) = (children.user_time(), children.system_time());
        let us = (user.tv_sec() + system.tv_sec()) * 1_000_000 + user.tv_usec() + system.tv_usec();
        let (requests, own) = (burnt.requests, burnt.own.as_nanos());
        let children = us * 1_000;
        let mut kinds = String::new();
        for (name, (requests, ns)) in self.kinds.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let comma = if kinds.is_empty() { "" } else { ", " };
            let _ = write!(kinds, "{comma}{name:?}: {{\"requests\": {requests}, \"cpu_ns\": {ns}}}");
        }
        Ok(format!(
            "{{\"requests\": {requests}, \"own_cpu_ns\": {own}, \"children_cpu_ns\": {children}, \"kinds\": {{{kinds}}}}}\n"
        ))
    }
}

/// Steps that each need the one before (xorshift64*, of Marsaglia and Vigna), over a table that the caches of a core hold
/// in part: more like an application than arithmetic alone.
fn steps(count: u64) -> u64 {
    const TABLE: usize = 1 << 17;
    let mut table = vec![0_u64; TABLE];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..count {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let place = &mut table[state as usize % TABLE];
        *place = place.wrapping_add(state);
        state = state.wrapping_add(*place & 1);
    }
    state
}

/// Of this thread alone.
pub(crate) fn thread_clock() -> io::Result<Duration> {
    Ok(Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?))
}

/// CPU time of this process, all threads.
fn clock() -> io::Result<Duration> {
    Ok(Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?))
}
