//! The principal type is [`Traced`]: all that is traced while requests are sent, here and on other hosts.

use unladen_probe::{Inspection, InspectionError, Instrument};
use unladen_trace::Window;

use crate::weigh::host_trace::HostTrace;

/// All that is traced while requests are sent.
pub(super) struct Traced<'a> {
    /// Groups of this machine.
    pub(super) here: Option<Inspection>,
    /// Of other hosts, those too where nothing can be traced.
    pub(super) hosts: Vec<HostTrace<'a>>,
}

// === impl Traced ===

impl Traced<'_> {
    /// Whether nothing is.
    pub(super) fn is_nothing(&self) -> bool {
        self.here.is_none() && !self.is_anywhere_else()
    }

    /// Whether anything is on another host.
    pub(super) fn is_anywhere_else(&self) -> bool {
        self.hosts.iter().any(HostTrace::is_traced)
    }

    /// Follows the processes that there are by now; what was traced until now belongs to no phase.
    ///
    /// # Errors
    /// If this machine's cannot be followed.
    pub(super) fn begin(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        self.hosts.iter_mut().for_each(HostTrace::ask_begin);
        let here = self.here.as_mut().map_or(Ok(()), |here| here.watch(instrument));
        self.hosts.iter_mut().for_each(HostTrace::wait_begun);
        here?;
        // Last, as waiting takes a while.
        self.here.as_mut().map_or(Ok(()), Inspection::discard)
    }

    /// Counts what was traced since then, or since the phase before. Phases without requests are cut into stretches of
    /// `request_ns`.
    ///
    /// # Errors
    /// If this machine's cannot be counted.
    pub(super) fn phase(&mut self, window: &Window, request_ns: u64) -> Result<(), InspectionError> {
        for host in &mut self.hosts {
            host.ask_phase(window.on, &window.sent_ns, request_ns);
        }
        let here = self.here.as_mut().map_or(Ok(()), |here| here.phase(window));
        self.hosts.iter_mut().for_each(HostTrace::wait_counted);
        here
    }
}
