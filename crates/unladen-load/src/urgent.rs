//! The principal type is [`Urgent`]: real-time priority for the thread that sends, as long as it lives.
//!
//! On a machine that the server keeps busy, a thread that becomes ready waits for milliseconds until it is its turn;
//! with real-time priority it runs at once. It takes root (CAP_SYS_NICE); without, the lag tells what that costs.
#![allow(unsafe_code, reason = "no safe binding sets a thread's scheduling policy and leaves its nice value alone")]

use nix::libc;

/// The least of the real-time priorities: it is above all threads that have none, and below whatever else is real-time.
const PRIORITY: libc::c_int = 1;

/// Held by a thread that has real-time priority; dropped by the same thread, it has none any more.
#[derive(Debug)]
pub(crate) struct Urgent {
    /// It belongs to the thread that made it.
    thread: std::marker::PhantomData<*const ()>,
}

// === impl Urgent ===

impl Urgent {
    /// Makes the calling thread urgent; none if the system refuses, or if it has a policy of its own already.
    pub(crate) fn begin() -> Option<Self> {
        // SAFETY: takes no pointer; 0 is the calling thread.
        let is_usual = unsafe { libc::sched_getscheduler(0) } == libc::SCHED_OTHER;
        let urgent = Self { thread: std::marker::PhantomData };
        // Children that this thread might start must not inherit it.
        (is_usual && set(libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, PRIORITY)).then_some(urgent)
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        set(libc::SCHED_OTHER, 0);
    }
}

fn set(policy: libc::c_int, priority: libc::c_int) -> bool {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads one `sched_param` that lives until the call returns; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) == 0 }
}

#[cfg(test)]
mod tests;
