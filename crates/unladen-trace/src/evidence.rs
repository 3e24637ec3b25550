//! The principal type is [`Evidence`]: what each request of a page did, as far as it was seen, summed up by what it was
//! done to.
//!
//! Every number is a [`Series`] over the phases of the counting, so that any sum of them can be demodulated: what other
//! traffic did meanwhile is in the off phases too, and drops out. [`Evidence::per_request`] does that.

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
    /// The name of the host where it was seen, if that is not the machine that sent the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The page, and what it weighs undisturbed.
    pub page: Page,
    /// Whose requests these are.
    pub state: State,
    /// The groups that follow the requests; all else names them by index.
    pub groups: Vec<GroupSeen>,
    /// Who else the request goes through; none in what was kept before anybody looked.
    pub path: Option<PathSeen>,
    /// Groups that may follow, and were left out for want of room.
    pub left_out: Vec<String>,
    /// Why the counting ended before its time, if it did.
    pub cut_short: Option<String>,
    /// The phases in which was counted.
    pub phases: Phases,
    /// What was looked at.
    pub sources: Vec<EvidenceSource>,
    /// What could not be looked at.
    pub missing: Vec<Missing>,
    /// Events that were lost: counts that rest on events are then too low.
    pub lost: u64,
    /// What tracing adds to the time of each call that it times, ns: measured, and taken off by [`Evidence::time_of`].
    pub overhead_ns: u64,
    /// System calls.
    pub syscalls: Vec<SyscallSeen>,
    /// Files by path, call and outcome.
    pub files: Vec<FileSeen>,
    /// What was read from files and written to them.
    pub transfers: Vec<TransferSeen>,
    /// Programs started, and processes that lived shorter than a request.
    pub processes: Vec<ProcessSeen>,
    /// Source files compiled.
    pub compiles: Vec<CompileSeen>,
    /// Other things that are only counted: class look-ups.
    pub counters: Vec<CounterSeen>,
    /// Connections by peer.
    pub connections: Vec<ConnectionSeen>,
    /// Questions asked of the DNS.
    pub dns: Vec<DnsSeen>,
    /// Statements of SQL by fingerprint.
    pub queries: Vec<QuerySeen>,
    pub locks: Vec<LockSeen>,
    /// Lines of logs.
    pub logs: Vec<LogSeen>,
    /// Sleeps, by group.
    pub sleeps: Vec<SleepSeen>,
    /// What the page answers, and to what.
    pub response: Option<Response>,
    /// Settings of the PHPs that follow.
    pub php: Vec<PhpSettings>,
    /// What a profiler saw; only where one looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileSeen>,
}

impl Evidence {
    /// What the requests add to a count, per request: demodulated, with its 95 % interval; `None` with too few blocks.
    pub fn per_request(&self, series: &Series) -> Option<Interval> {
        self.phases.per_request(series)
    }

    /// The same evidence as who asks what is likely reads it, rather than what is certain: intervals of what is counted
    /// per request, and of what the page and other ways to ask for it take, are narrowed to their value, where that is
    /// likely not to be nothing ([`Interval::likely`]).
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

    /// The same as a plain number: what is on, less what is off. For parts of a sum that has an interval.
    pub fn mean(&self, series: &Series) -> f64 {
        self.phases.mean(series)
    }

    /// Time that so many calls took, ns a request, without what tracing added to each.
    pub fn time_of(&self, count: &Series, time_ns: &Series) -> Option<Interval> {
        let added = count.times(self.overhead_ns);
        self.per_request(&time_ns.less(&added))
    }

    /// Time that so many waits for somebody else took, ns a request: without what tracing added to each call, and without
    /// what it added to the other side, which is traced too. That is as much as a traced request is slower than another.
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

    /// What a time, ns a request, is of the latency.
    pub fn share_of_latency(&self, time: Interval) -> Option<Interval> {
        self.page.latency.and_then(|latency| time.over(latency))
    }

    /// What a CPU time, ns a request, is of the CPU of all that follow.
    pub fn share_of_cpu(&self, cpu: Interval) -> Option<Interval> {
        self.page.cpu.and_then(|total| cpu.over(total))
    }

    /// Whether something was looked at.
    pub fn has(&self, source: EvidenceSource) -> bool {
        self.sources.contains(&source)
    }

    /// The name of a group.
    pub fn group(&self, index: usize) -> &str {
        self.groups.get(index).map_or("?", |group| &group.name)
    }

    /// The name of a group with that of its host before it, if that is another one: `db/mariadb.service`.
    pub fn full_name(&self, index: usize) -> String {
        let name = self.group(index);
        self.host.as_ref().map_or_else(|| name.to_owned(), |host| format!("{host}/{name}"))
    }

    /// The settings of a group's PHP.
    pub fn php_of(&self, group: usize) -> Option<&PhpSettings> {
        self.php.iter().find(|php| php.group == group)
    }
}
