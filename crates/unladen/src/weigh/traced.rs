//! The principal type is [`Traced`]: all that is traced while requests are sent, here and on other hosts.

use std::time::{Duration, Instant};

use unladen_agent::Patience;
use unladen_load::Cancel;
use unladen_probe::{Inspection, InspectionError, Instrument};
use unladen_report::WeighedPage;
use unladen_trace::{Evidence, Page, Window};

use crate::weigh::host_trace::HostTrace;

/// Loading the kernel's part takes a second on a busy machine, and the first look at all its functions another.
const ATTACH_WITHIN: Duration = Duration::from_secs(60);
/// The counts of a phase are there at once, but the machine may be busy.
const COUNT_WITHIN: Duration = Duration::from_secs(30);
/// Each PHP may take fifteen seconds to report its settings, and there are few.
const TELL_WITHIN: Duration = Duration::from_secs(120);

/// All that is traced while requests are sent. Hosts are asked at once, and share the time that they have to answer.
pub(super) struct Traced<'a> {
    pub(super) here: Option<Inspection>,
    /// Including hosts where nothing can be traced.
    pub(super) hosts: Vec<HostTrace<'a>>,
    /// Ends waiting for hosts.
    pub(super) cancel: &'a Cancel,
}

impl<'a> Traced<'a> {
    pub(super) fn is_nothing(&self) -> bool {
        self.here.is_none() && !self.is_anywhere_else()
    }

    pub(super) fn is_anywhere_else(&self) -> bool {
        self.hosts.iter().any(HostTrace::is_traced)
    }

    /// Follows the present processes; what was traced before belongs to no phase. Fails if this machine's processes
    /// cannot be followed.
    pub(super) fn begin(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        self.hosts.iter_mut().for_each(HostTrace::ask_begin);
        let here = self.here.as_mut().map_or(Ok(()), |here| here.watch(instrument));
        self.wait_each(ATTACH_WITHIN, HostTrace::wait_begun);
        here?;
        // Last, as waiting takes a while.
        self.here.as_mut().map_or(Ok(()), Inspection::discard)
    }

    /// Counts what was traced since [`Self::begin`] or the last phase. Phases without requests are cut into stretches
    /// of `request_ns`. Fails if this machine's trace cannot be counted.
    pub(super) fn phase(&mut self, window: &Window, request_ns: u64) -> Result<(), InspectionError> {
        for host in &mut self.hosts {
            host.ask_phase(window.on, &window.sent_ns, request_ns);
        }
        let here = self.here.as_mut().map_or(Ok(()), |here| here.phase(window));
        self.wait_each(COUNT_WITHIN, HostTrace::wait_counted);
        here
    }

    pub(super) fn wait_attached(&mut self) {
        self.wait_each(ATTACH_WITHIN, HostTrace::wait_attached);
    }

    /// The evidence of each host; `page` and `result` have the undisturbed figures.
    pub(super) fn finish_hosts(&mut self, page: &Page, result: &WeighedPage) -> Vec<Evidence> {
        self.hosts.iter_mut().for_each(|host| host.ask_finish(true));
        self.wait_each(TELL_WITHIN, |host, patience| host.finish(page, result, patience))
    }

    /// What first requests of fresh processes did on each host, compared with the given evidence on later ones.
    pub(super) fn finish_fresh_hosts<'e>(
        &mut self,
        warm: impl Iterator<Item = &'e Evidence>,
        page: &Page,
        result: &WeighedPage,
    ) -> Vec<Option<Evidence>> {
        self.hosts.iter_mut().for_each(|host| host.ask_finish(false));
        let mut warm = warm;
        self.wait_each(TELL_WITHIN, |host, patience| host.finish_fresh(warm.next()?, page, result, patience))
    }

    pub(super) fn detach_hosts(&mut self) {
        self.hosts.iter_mut().for_each(HostTrace::ask_detach);
        self.wait_each(COUNT_WITHIN, HostTrace::wait_detached);
    }

    fn wait_each<T>(
        &mut self,
        within: Duration,
        mut wait: impl FnMut(&mut HostTrace<'a>, &Patience<'_>) -> T,
    ) -> Vec<T> {
        let is_wanted = || !self.cancel.is_cancelled();
        let patience = Patience { deadline: Instant::now() + within, is_wanted: &is_wanted };
        self.hosts.iter_mut().map(|host| wait(host, &patience)).collect()
    }
}
