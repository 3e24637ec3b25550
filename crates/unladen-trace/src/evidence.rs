//! The principal type is [`Evidence`]: everything seen of the requests of a page, summed up by object.
//!
//! Every number is a [`Series`] over the phases of the counting, so that any sum of them can be demodulated: other
//! traffic is in the off phases too, and drops out. [`Evidence::per_request`] does that.

mod connection;
mod group;
mod page;
mod syscall;
mod texts;

pub use crate::series::Counted;
pub use connection::{
    ConnectionSeen, DnsSeen, PathSeen, PathUnknown, PeerSeen, Protocol, QueryProtocol, QuerySeen, Unseen,
};
pub use group::{ContainerSeen, GroupSeen, PHP_FILE, PhpSetAgain, PhpSetter, PhpSettings, ServerSeen};
pub use page::{Ask, BodyCarried, Carried, HeaderCarried, OptionCarried, Page, Response, State, Unanswered, Variant};
pub use syscall::{
    CompileSeen, CounterSeen, FileOutcome, FileSeen, LockKind, LockSeen, LogSeen, LogSink, ProcessSeen, SleepSeen,
    SyscallSeen, TransferSeen, is_kernels,
};

use serde::{Deserialize, Serialize};

use crate::phases::Phases;
use crate::series::{Interval, Series};

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
        Some(without_tracing(time, self.page.latency, self.page.traced_latency))
    }

    /// CPU of what was traced, ns a request, without what tracing adds to it: as much as it adds to the CPU of all
    /// groups.
    pub fn cpu_of(&self, cpu: Interval) -> Interval {
        let of_groups = self.counters.iter().filter(|seen| seen.name == CPU_TRACED).map(|seen| &seen.count);
        without_tracing(cpu, self.page.cpu, self.per_request(&Series::sum(of_groups)))
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

/// A counter: the CPU of a group while it was traced, ns.
pub(crate) const CPU_TRACED: &str = "cpu_traced_ns";

/// A time that was traced, by what the whole takes without tracing and with it.
fn without_tracing(time: Interval, whole: Option<Interval>, traced: Option<Interval>) -> Interval {
    let Some(Interval { value, low, high }) = whole.zip(traced).and_then(|(whole, traced)| whole.over(traced)) else {
        return time;
    };
    Interval {
        value: time.value * value.clamp(0.0, 1.0),
        low: time.low * if time.low > 0.0 { low.clamp(0.0, 1.0) } else { 1.0 },
        high: time.high * high.clamp(0.0, 1.0),
    }
}

/// Where inside the code the time of a request goes, as a profiler saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSeen {
    pub group: usize,
    pub profiler: String,
    /// CPU time only, rather than elapsed time.
    pub of_cpu: bool,
    /// Time of a request without a profiler, ns: latency, or CPU with `of_cpu`.
    pub whole: Option<Interval>,
    /// Part of it, 0 to 1, in which autoloaders look up files of classes; what these files then do when loaded is not
    /// included.
    pub lookups: Option<Interval>,
    pub functions: Vec<FunctionSeen>,
}

/// One function's share of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionSeen {
    /// In its language's notation: `Sympa::List::new`.
    pub name: String,
    /// File, or module of native code; empty if unknown.
    pub file: String,
    /// Its own part of the request, 0 to 1.
    pub own: Interval,
    /// With everything it calls.
    pub all: Interval,
    /// Calls a request; `None` if the profiler does not count.
    pub calls: Option<f64>,
    /// Largest first.
    pub callers: Vec<CallerSeen>,
}

/// A caller of a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallerSeen {
    pub name: String,
    /// Part of the request that the function takes on its behalf.
    pub part: f64,
    pub calls: Option<f64>,
}

/// A source of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceSource {
    /// System calls and their objects.
    Syscalls,
    /// Fork, exec, exit.
    Processes,
    /// Its compiler.
    Php,
    /// Its compiler.
    Perl,
    /// Its library.
    Sqlite,
    /// The page's answers: needs no privilege.
    Response,
    PhpSettings,
    /// First requests of fresh processes: needs a command that restarts them.
    Restarts,
    /// Functions on the stacks seen by a profiler.
    Profile,
}

/// A source that was not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    pub source: EvidenceSource,
    pub why: String,
    /// What it takes; empty if nothing helps.
    pub takes: String,
}
