//! The principal type is [`Evidence`]: what each request of a page did, as far as it was seen, summed up by what it was
//! done to.
//!
//! Every number is a [`Series`] over the phases of the counting, so that any sum of them can be demodulated: what other
//! traffic did meanwhile is in the off phases too, and drops out. [`Evidence::per_request`] does that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{FileCall, Language, LockCall};
use crate::interval::Interval;
use crate::phases::Phases;
use crate::series::Series;

/// What was seen of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
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
    /// Locks.
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

/// The page, measured undisturbed: before anything was traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    /// Its URL.
    pub url: String,
    /// The request's method.
    pub method: String,
    /// Requests counted in the traced phases.
    pub requests: u64,
    /// Mean latency, ns; of first requests in [`State::Fresh`].
    pub latency: Option<Interval>,
    /// CPU of all groups that follow, ns a request.
    pub cpu: Option<Interval>,
    /// Latency of the very first request that was sent, ns: of whatever state the page was left in.
    pub first_ns: Option<u64>,
    /// The longest latency of all later ones that were measured undisturbed, ns.
    pub longest_ns: Option<u64>,
    /// In [`State::Fresh`]: mean latency of later requests, ns.
    pub warm_latency: Option<Interval>,
    /// In [`State::Fresh`]: the command that made the processes new.
    pub restart: Option<String>,
}

/// Whose requests were looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Processes that have answered before.
    #[default]
    Warm,
    /// Processes that have just been started: their first request.
    Fresh,
}

/// A group that follows the requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroupSeen {
    /// Its name: `www-data php-fpm8.2`.
    pub name: String,
    /// The executable of one of its processes.
    pub exe: Option<String>,
    /// Its CPU, ns a request, undisturbed.
    pub cpu: Option<Interval>,
    /// The request was seen to go through it.
    pub on_path: bool,
    /// Its CPU, ns a request, where that is not told from its other work; only of one on the path.
    pub untold: Option<Interval>,
    /// Where it lives, if its root folder is not the host's.
    pub container: Option<ContainerSeen>,
}

/// Where a group lives whose root folder is not the host's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContainerSeen {
    /// With an article: `the container 3f9c2a81b7d0`.
    pub name: String,
    /// The command that starts it again, if its engine is known.
    pub restart: Option<String>,
    /// The folder of PHP's settings that is there, as its own processes call it.
    pub php_folder: Option<String>,
}

/// What is known of a request's path beside the groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSeen {
    /// Who was asked for the request, and cannot be looked at.
    pub beyond: Vec<PeerSeen>,
    /// Why it is not known, or not from some point on.
    pub unknown: Option<PathUnknown>,
}

/// Somebody who was asked, and cannot be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PeerSeen {
    /// `10.0.0.5:5432`
    pub peer: String,
    /// What is spoken.
    pub protocol: Protocol,
    /// Why it cannot be looked at.
    pub why: Unseen,
}

/// Why somebody who was asked cannot be looked at. Recordings that are older have its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// Nobody in this machine's own network listens there.
    #[default]
    #[serde(alias = "nobody listens there in this machine's own network: another host, or a container's network")]
    Elsewhere,
    /// Nobody who may be looked at does.
    #[serde(alias = "who listens there is hidden from this user")]
    Hidden,
    /// No address leads there.
    #[serde(alias = "the request was handed over a socket without a name")]
    Nameless,
    /// Others were followed.
    #[serde(alias = "more servers are asked than are followed")]
    TooMany,
}

/// Why a path is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathUnknown {
    /// Why.
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
}

/// Something that can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceSource {
    /// System calls and what they are about.
    Syscalls,
    /// Processes: fork, exec, exit.
    Processes,
    /// PHP's compiler.
    Php,
    /// Perl's compiler.
    Perl,
    /// SQLite's library.
    Sqlite,
    /// The page's answers: needs no privilege.
    Response,
    /// PHP's settings.
    PhpSettings,
    /// First requests of fresh processes: needs a command that restarts them.
    Restarts,
    /// Functions, on the stacks that a profiler saw.
    Profile,
}

/// Something that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// What.
    pub source: EvidenceSource,
    /// Why.
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
}

/// How often, in how many requests, and how long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Counted {
    /// How often.
    pub count: Series,
    /// In how many requests. What is more than that in `count`, happened again in the same request.
    pub requests: Series,
    /// How long altogether, ns, tracing's own part included.
    pub time_ns: Series,
}

/// A kind of system call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyscallSeen {
    /// Index of the group.
    pub group: usize,
    /// `newfstatat`
    pub name: String,
    /// `ENOENT`; none if it succeeded.
    pub error: Option<String>,
    /// How often.
    pub count: Series,
    /// How long altogether, ns.
    pub time_ns: Series,
}

/// A file, a call, an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeen {
    /// Index of the group.
    pub group: usize,
    /// The call.
    pub call: FileCall,
    /// The path; absolute as far as that could be told.
    pub path: String,
    /// What came of it.
    pub outcome: FileOutcome,
    /// How often.
    pub counted: Counted,
}

/// What came of a call upon a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOutcome {
    /// It is there.
    Found,
    /// ENOENT, ENOTDIR: it is not.
    Missing,
    /// EEXIST: it should not have been.
    Exists,
    /// EACCES, EPERM.
    Refused,
    /// Any other error.
    Failed,
}

/// A file that was read or written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransferSeen {
    /// Index of the group.
    pub group: usize,
    /// Its path as far as known, else its name.
    pub path: String,
    /// Reading calls.
    pub reads: Series,
    /// Bytes read.
    pub read_bytes: Series,
    /// Writing calls.
    pub writes: Series,
    /// Bytes written.
    pub written_bytes: Series,
    /// In how many requests something was written.
    pub writing_requests: Series,
}

/// Processes started by a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessSeen {
    /// Index of the group whose process started it.
    pub group: usize,
    /// The program; empty for a child that remained the same program.
    pub program: String,
    /// How often it was started.
    pub started: Series,
    /// CPU of those that have ended, ns, traced.
    pub cpu_ns: Series,
}

/// A source file that was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileSeen {
    /// Index of the group.
    pub group: usize,
    /// Its language.
    pub language: Language,
    /// Its path; empty where not known.
    pub path: String,
    /// How often, and how long (compilations inside it included, and not counted twice).
    pub counted: Counted,
}

/// Something that is only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CounterSeen {
    /// Index of the group.
    pub group: usize,
    /// `php.class_lookups`
    pub name: String,
    /// How often.
    pub count: Series,
}

/// What is spoken over a connection, by its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
    /// HTTP/1 in clear.
    Http,
    /// TLS, whatever is inside.
    Tls,
    /// FastCGI.
    FastCgi,
    /// Redis.
    Redis,
    /// Memcached.
    Memcached,
    /// DNS.
    Dns,
    /// Log lines.
    Syslog,
    /// Nothing was sent over it.
    Silent,
    /// Something else.
    #[default]
    Other,
}

/// Connections to one peer that the group's processes opened or used as clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionSeen {
    /// Index of the group.
    pub group: usize,
    /// `10.0.0.5:9243`, `/run/mysqld/mysqld.sock`.
    pub peer: String,
    /// Whether it is on this machine: a Unix socket or a loopback address.
    pub local: bool,
    /// What is spoken.
    pub protocol: Protocol,
    /// The name asked for in TLS (SNI), if any.
    pub server_name: Option<String>,
    /// What is spoken inside TLS, where that was told in clear before: a database's.
    pub inside: Option<Protocol>,
    /// Connections opened, and the time until they stood.
    pub opened: Counted,
    /// Attempts that failed.
    pub refused: Series,
    /// TLS handshakes, and their time: from the first hello to the first data.
    pub handshakes: Counted,
    /// Logins at a database, and the time from the greeting until something could be asked. TLS is not looked into.
    pub logins: Counted,
    /// Requests and answers over it: turns from sending to receiving, and the time until the first byte came.
    pub exchanges: Counted,
    /// Exchanges over connections that an earlier request had opened.
    pub reused: Series,
    /// Connections closed over which nothing was asked, but for what opening one takes.
    pub unused: Series,
}

/// A question asked of the DNS.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DnsSeen {
    /// Index of the group.
    pub group: usize,
    /// The name.
    pub name: String,
    /// `A`, `AAAA`, …
    pub kind: String,
    /// Of whom it was asked.
    pub server: String,
    /// How often, and the time until the answer.
    pub counted: Counted,
}

/// A statement, by its fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySeen {
    /// Index of the group that asks.
    pub group: usize,
    /// Of whom: the connection's peer, or the SQLite library.
    pub database: String,
    /// How it was seen.
    pub protocol: QueryProtocol,
    /// The text with literals as `?` and lists collapsed.
    pub fingerprint: String,
    /// One of its texts, cut.
    pub example: String,
    /// Whether it changes data.
    pub writes: bool,
    /// How often, and the time until its answer began (SQLite: all of its steps).
    pub counted: Counted,
    /// How often it was prepared by a question of its own, and the time until the answer to that. The executions are
    /// counted above.
    pub prepares: Counted,
    /// How often the very same text with the very same values came again in one request.
    pub identical: Series,
    /// How many different texts there were in a request, summed over the requests.
    pub distinct: Series,
    /// Rows that came back, where they are seen.
    pub rows: Option<Series>,
}

/// How a statement was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryProtocol {
    /// On the wire to PostgreSQL.
    #[default]
    Postgres,
    /// On the wire to MySQL or MariaDB.
    Mysql,
    /// In SQLite's library.
    Sqlite,
}

/// A kind of lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockKind {
    /// By a call.
    Call(LockCall),
    /// By making a file that must not be there, or a link: link(2), or open with O_EXCL of a file that is removed again
    /// in the same request.
    File,
}

/// A lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockSeen {
    /// Index of the group.
    pub group: usize,
    /// How.
    pub kind: LockKind,
    /// The locked file as far as known.
    pub path: String,
    /// How often it was taken, and the time waited.
    pub counted: Counted,
}

/// Lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSeen {
    /// Index of the group.
    pub group: usize,
    /// Where they go.
    pub sink: LogSink,
    /// A file's path, or the socket's.
    pub path: String,
    /// How many lines, and the time of writing them.
    pub counted: Counted,
    /// Their bytes.
    pub bytes: Series,
    /// Some of them, cut.
    pub examples: Vec<String>,
}

/// Where log lines go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogSink {
    /// The system's log.
    #[default]
    Syslog,
    /// Standard error.
    Stderr,
    /// A file.
    File,
}

/// Sleeps of one group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SleepSeen {
    /// Index of the group.
    pub group: usize,
    /// How often, how long.
    pub counted: Counted,
}

/// What the page answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Answers looked at.
    pub answers: u64,
    /// How many had another body than the first.
    pub changed: u64,
    /// The request carried a cookie or authorisation of its own.
    pub personal: bool,
    /// What else was asked, and what came.
    pub variants: Vec<Variant>,
    /// What else should have been asked, and has no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// A way to ask for the page that brought no answer to look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Unanswered {
    /// How.
    pub ask: Ask,
    /// Why: `the page is slow, and 20 s were over`.
    pub why: String,
}

/// The same page asked for otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variant {
    /// How.
    pub ask: Ask,
    /// The header that was sent, `accept-language: de`.
    pub header: String,
    /// The status that came.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Whether the body is that of the plain request, but for what changes from answer to answer anyway.
    pub same: Option<bool>,
    /// Its latency over that of the plain request, alternating: a ratio.
    pub cost: Option<Interval>,
}

/// In which way the page was asked for otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// With its own validators: If-None-Match, If-Modified-Since.
    #[default]
    Conditional,
    /// With `Accept-Encoding: gzip, br, zstd`.
    Compressed,
    /// In another language.
    Language,
    /// With the cookies that it sets.
    Cookie,
    /// With a cookie that nobody knows.
    UnknownCookie,
}

/// What a PHP says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhpSettings {
    /// Index of the group.
    pub group: usize,
    /// The main settings file.
    pub ini: String,
    /// The folder of further ones.
    pub ini_folder: String,
    /// The pool's or the master's own file, if there is one.
    pub fpm_config: String,
    /// Extensions loaded.
    pub extensions: Vec<String>,
    /// `opcache.enable` → `1`
    pub settings: BTreeMap<String, String>,
}

// === impl Evidence ===

impl Evidence {
    /// What the requests add to a count, per request: demodulated, with its 95 % interval; `None` with too few blocks.
    pub fn per_request(&self, series: &Series) -> Option<Interval> {
        self.phases.per_request(series)
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

    /// The settings of a group's PHP.
    pub fn php_of(&self, group: usize) -> Option<&PhpSettings> {
        self.php.iter().find(|php| php.group == group)
    }
}

// === impl Unseen ===

impl Unseen {
    /// In half a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "nobody listens there in this machine's own network: another host, or a container's network"
            }
            Self::Hidden => "who listens there is hidden from this user",
            Self::Nameless => "the request was handed over a socket without a name",
            Self::TooMany => "more servers are asked than are followed",
        }
    }
}

// === impl Counted ===

impl Counted {
    /// How often it happened again in a request in which it had happened.
    pub fn again(&self) -> Series {
        self.count.less(&self.requests)
    }

    /// Several together; a request in which two of them happened counts twice.
    pub fn sum<'a>(counted: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in counted {
            sum.count.absorb(&one.count);
            sum.requests.absorb(&one.requests);
            sum.time_ns.absorb(&one.time_ns);
        }
        sum
    }
}

// === impl Response ===

impl Response {
    /// The first header of that name (in small letters).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// All headers of that name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The answer to another way of asking.
    pub fn variant(&self, ask: Ask) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.ask == ask)
    }
}

impl Variant {
    /// The first header of that name (in small letters).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

// === impl PhpSettings ===

impl PhpSettings {
    /// A setting that is on or off; `None` if it is not known.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        let value = self.settings.get(name)?;
        Some(!matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "off" | "no" | "no value" | "false" | "none"))
    }
}

/// Where inside the code the time of a request goes, as a profiler saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSeen {
    /// The group whose code it is.
    pub group: usize,
    /// The profiler: `excimer`.
    pub profiler: String,
    /// Whether it counts CPU time alone, and not time as it passes.
    pub of_cpu: bool,
    /// What a request takes under no profiler, ns: latency, or CPU with `of_cpu`.
    pub whole: Option<Interval>,
    /// The part of it, 0 to 1, in which files of classes are looked up, by what autoloaders do themselves: what the
    /// files then do when they are loaded is not in it.
    pub lookups: Option<Interval>,
    /// The functions, of which there may be thousands.
    pub functions: Vec<FunctionSeen>,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionSeen {
    /// As its language writes it: `Sympa::List::new`.
    pub name: String,
    /// Its file, or the module of native code; empty if it is not known.
    pub file: String,
    /// The part of the request, 0 to 1, that it takes by itself.
    pub own: Interval,
    /// The part with all that it calls.
    pub all: Interval,
    /// Calls a request; none where the profiler does not count.
    pub calls: Option<f64>,
    /// Who calls it, the one with most first.
    pub callers: Vec<CallerSeen>,
}

/// Who calls a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallerSeen {
    /// Its name.
    pub name: String,
    /// The part of the request that the function takes on its behalf.
    pub part: f64,
    /// Calls a request, where the profiler counts.
    pub calls: Option<f64>,
}
