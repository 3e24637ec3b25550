//! The principal type is [`Evidence`]: everything seen of the requests of a page, summed up by object.
//!
//! Every number is a [`Series`] over the phases of the counting, so that any sum of them can be demodulated: other
//! traffic is in the off phases too, and drops out. [`Evidence::per_request`] does that.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::phases::Phases;
use crate::series::Series;

mod carried;
mod connection;
mod counted;
mod file;
mod group;
mod lock;
mod log;
mod page;
mod path;
mod php;
mod process;
mod profile;
mod query;
mod response;
mod source;
mod syscall;
mod texts;
mod values;

pub use carried::{BodyCarried, Carried, HeaderCarried, OptionCarried};
pub use connection::{ConnectionSeen, DnsSeen, Protocol};
pub use counted::Counted;
pub use file::{FileOutcome, FileSeen, TransferSeen};
pub use group::{ContainerSeen, GroupSeen, ServerSeen};
pub use lock::{LockKind, LockSeen};
pub use log::{LogSeen, LogSink};
pub use page::{Page, State};
pub use path::{PathSeen, PathUnknown, PeerSeen, Unseen};
pub use php::{PHP_FILE, PhpSetAgain, PhpSetter, PhpSettings};
pub use process::{CompileSeen, ProcessSeen};
pub use profile::{CallerSeen, FunctionSeen, ProfileSeen};
pub use query::{QueryProtocol, QuerySeen};
pub use response::{Ask, Response, Unanswered, Variant};
pub use source::{EvidenceSource, Missing};
pub use syscall::{CounterSeen, SleepSeen, SyscallSeen};

/// What was seen of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// Name of the host where it was seen, if not the sender of the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The page, with its undisturbed weight.
    pub page: Page,
    pub state: State,
    /// Groups that follow the requests; everything else refers to them by index.
    pub groups: Vec<GroupSeen>,
    /// Other stations of the request; `None` in recordings from before that was examined.
    pub path: Option<PathSeen>,
    /// Groups that may follow, left out for want of room.
    pub left_out: Vec<String>,
    /// Why the counting ended early, if it did.
    pub cut_short: Option<String>,
    pub phases: Phases,
    pub sources: Vec<EvidenceSource>,
    pub missing: Vec<Missing>,
    /// Lost events: counts that rest on events are then too low.
    pub lost: u64,
    /// Time in ns that tracing adds to each timed call: measured, and subtracted by [`Evidence::time_of`].
    pub overhead_ns: u64,
    pub syscalls: Vec<SyscallSeen>,
    pub files: Vec<FileSeen>,
    /// Bytes read from files and written to them.
    pub transfers: Vec<TransferSeen>,
    /// Programs started, and processes that lived shorter than a request.
    pub processes: Vec<ProcessSeen>,
    pub compiles: Vec<CompileSeen>,
    /// Class look-ups, which are only counted.
    pub counters: Vec<CounterSeen>,
    pub connections: Vec<ConnectionSeen>,
    pub dns: Vec<DnsSeen>,
    pub queries: Vec<QuerySeen>,
    pub locks: Vec<LockSeen>,
    pub logs: Vec<LogSeen>,
    pub sleeps: Vec<SleepSeen>,
    pub response: Option<Response>,
    pub php: Vec<PhpSettings>,
    /// If a profiler ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileSeen>,
}

impl Evidence {
    /// What the requests add to a count, per request: demodulated, with its 95 % interval; `None` with too few blocks.
    pub fn per_request(&self, series: &Series) -> Option<Interval> {
        self.phases.per_request(series)
    }

    /// The same evidence for asking what is likely rather than certain: intervals of counts per request, and of the
    /// times of the page and of its variants, shrink to their value where it is likely to differ from 0
    /// ([`Interval::likely`]).
    #[must_use]
    pub fn likely(&self) -> Self {
        let mut evidence = self.clone();
        let Page { latency, traced_latency, cpu, warm_latency, .. } = &mut evidence.page;
        let costs = evidence.response.iter_mut().flat_map(|response| &mut response.variants);
        for interval in
            [latency, traced_latency, cpu, warm_latency].into_iter().chain(costs.map(|variant| &mut variant.cost))
        {
            *interval = interval.map(Interval::likely);
        }
        Self { phases: evidence.phases.likely(), ..evidence }
    }

    /// The same as a plain number: on minus off. For parts of a sum that has an interval.
    pub fn mean(&self, series: &Series) -> f64 {
        self.phases.mean(series)
    }

    /// Time of `count` calls, ns a request, without tracing's own.
    pub fn time_of(&self, count: &Series, time_ns: &Series) -> Option<Interval> {
        let added = count.times(self.overhead_ns);
        self.per_request(&time_ns.less(&added))
    }

    /// Time of waits for others, ns a request, without tracing's own share in each call, and without what it adds to
    /// the other side, which is traced too: as much as tracing slows a request down.
    pub fn wait_of(&self, waits: &Counted) -> Option<Interval> {
        let time = self.time_of(&waits.count, &waits.time_ns)?;
        let slower = self.page.latency.zip(self.page.traced_latency).and_then(|(latency, traced)| latency.over(traced));
        Some(match slower {
            Some(Interval { value, low, high }) => Interval {
                value: time.value * value.clamp(0.0, 1.0),
                low: time.low * if time.low > 0.0 { low.clamp(0.0, 1.0) } else { 1.0 },
                high: time.high * high.clamp(0.0, 1.0),
            },
            None => time,
        })
    }

    /// A time, ns a request, as a share of the latency.
    pub fn share_of_latency(&self, time: Interval) -> Option<Interval> {
        self.page.latency.and_then(|latency| time.over(latency))
    }

    /// A CPU time, ns a request, as a share of the CPU of all followers.
    pub fn share_of_cpu(&self, cpu: Interval) -> Option<Interval> {
        self.page.cpu.and_then(|total| cpu.over(total))
    }

    /// Whether this source was examined.
    pub fn has(&self, source: EvidenceSource) -> bool {
        self.sources.contains(&source)
    }

    /// The name of a group.
    pub fn group(&self, index: usize) -> &str {
        self.groups.get(index).map_or("?", |group| &group.name)
    }

    /// The name of a group, with its host's if that is another one: `db/mariadb.service`.
    pub fn full_name(&self, index: usize) -> String {
        let name = self.group(index);
        self.host.as_ref().map_or_else(|| name.to_owned(), |host| format!("{host}/{name}"))
    }

    /// The settings of a group's PHP.
    pub fn php_of(&self, group: usize) -> Option<&PhpSettings> {
        self.php.iter().find(|php| php.group == group)
    }
}
