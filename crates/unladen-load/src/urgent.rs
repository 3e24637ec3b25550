//! The principal type is [`Urgent`]: real-time priority for the sending thread, as long as the value lives.
//!
//! On a machine that the server keeps busy, a ready thread waits milliseconds for its turn; with real-time priority it
//! runs at once. This takes root (CAP_SYS_NICE); without it, the lag shows the cost.
#![allow(unsafe_code, reason = "no safe binding sets a thread's scheduling policy and leaves its nice value alone")]

use nix::libc;

/// Lowest real-time priority: above all normal threads, below everything else that is real-time.
const PRIORITY: libc::c_int = 1;

/// Real-time priority of the current thread; ends when the same thread drops it.
#[derive(Debug)]
pub(crate) struct Urgent {
    /// Bound to the thread that made it.
    thread: std::marker::PhantomData<*const ()>,
}

// === impl Urgent ===

impl Urgent {
    /// Raises the calling thread; `None` if the system refuses, or if the thread already has another policy.
    pub(crate) fn begin() -> Option<Self> {
        // SAFETY: takes no pointer; 0 is the calling thread.
        let is_usual = unsafe { libc::sched_getscheduler(0) } == libc::SCHED_OTHER;
        let urgent = Self { thread: std::marker::PhantomData };
        // Child processes of this thread must not inherit it.
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
