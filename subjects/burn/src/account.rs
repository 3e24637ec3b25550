//! The principal type is [`Account`]: it burns, and knows what was burnt.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// Burns for one request after another.
pub(crate) struct Account {
    own: Duration,
    child: Duration,
    child_program: PathBuf,
    /// This process's clock when the account was opened.
    base: Duration,
    burnt: Mutex<Burnt>,
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
    /// Opens it: from here on every request adds `own` to this process's clock, and a child of `child`.
    pub(crate) fn open(own: Duration, child: Duration, child_program: PathBuf) -> io::Result<Self> {
        Ok(Self { own, child, child_program, base: clock()?, burnt: Mutex::default() })
    }

    /// Burns for one request; they take turns.
    pub(crate) fn burn(&self) -> io::Result<()> {
        let mut burnt = self.burnt.lock().unwrap_or_else(PoisonError::into_inner);
        let status = Command::new(&self.child_program)
            .arg(self.child.as_nanos().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if !status.success() {
            return Err(io::Error::other(format!("the child: {status}")));
        }
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

    /// What was burnt so far, as JSON.
    pub(crate) fn truth(&self) -> io::Result<String> {
        let burnt = self.burnt.lock().unwrap_or_else(PoisonError::into_inner);
        let children = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let (user, system) = (children.user_time(), children.system_time());
        let us = (user.tv_sec() + system.tv_sec()) * 1_000_000 + user.tv_usec() + system.tv_usec();
        let (requests, own) = (burnt.requests, burnt.own.as_nanos());
        Ok(format!("{{\"requests\": {requests}, \"own_cpu_ns\": {own}, \"children_cpu_ns\": {}}}\n", us * 1_000))
    }
}

/// CPU time of this process, all threads.
fn clock() -> io::Result<Duration> {
    Ok(Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?))
}
