//! The principal type is [`Failure`]: why a command failed, and the exit code that says so to scripts.
//! docs/reference/exit-codes.md lists them.

use std::process::ExitCode;

use unladen_load::{
    AccessLogError, ErrorKind, HeaderError, LoadError, RecordError, RequestError, StatusesError, UrlListError,
};
use unladen_probe::ProbeError;
use unladen_profiler::ProfilerError;
use unladen_prove::{ExperimentError, SwitchError};
use unladen_serve::{OutlookError, ServeError};
use unladen_serve_config::ConfigError;
use unladen_store::StoreError;

use crate::output::{DestinationError, OutputError};
use crate::purge::PurgeError;
use crate::weigh::ExporterError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    Statuses(#[from] StatusesError),
    #[error(transparent)]
    UrlList(#[from] UrlListError),
    #[error(transparent)]
    AccessLog(#[from] AccessLogError),
    #[error("{0}")]
    Agent(String),
    #[error(transparent)]
    Session(unladen_agent::SessionError),
    #[error("agent {agent}: {why}")]
    AgentLoad { agent: String, kind: ErrorKind, why: String },
    #[error("agent {agent} {why}")]
    AgentLost { agent: String, why: String },
    #[error(transparent)]
    Evidence(#[from] unladen_trace::RecordingError),
    #[error(transparent)]
    Application(#[from] unladen_classmap::Problem),
    /// What was asked for cannot be measured, or was not judged in full.
    #[error("{0}")]
    CannotMeasure(String),
    #[error(transparent)]
    Profiler(ProfilerError),
    #[error(transparent)]
    ProfileFile(#[from] unladen_profile::ReadError),
    #[error(transparent)]
    Merge(#[from] unladen_profile::MergeError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{}", nothing_answered(*planned))]
    NothingAnswered { planned: u64 },
    #[error(
        "{failed} of {planned} requests{of} were not answered as expected{}: --expect-status sets which statuses are \
         expected, --fail-on 'errors > 1%' how many failures are acceptable",
        some_statuses(statuses)
    )]
    SomeFailed {
        failed: u64,
        planned: u64,
        statuses: String,
        /// The arm, as ` of the arm …`.
        of: String,
    },
    #[error(
        "no latency could be compared: the arms have too few answered requests, or too few blocks with answered \
         requests; measure longer, or see the errors above"
    )]
    NothingCompared,
    #[error("{0}")]
    Gate(String),
    /// Another fix is in the way.
    #[error("{0}")]
    InTheWay(String),
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error("{0}")]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Outlook(#[from] OutlookError),
    #[error("{failed} of {tried} connections cannot be made: see above")]
    Connections { failed: usize, tried: usize },
    #[error(transparent)]
    Purge(#[from] PurgeError),
    #[error(
        "not confirmed by all nodes that were waited for: {0}; --explain shows each node, and --wait-for waits longer"
    )]
    Unconfirmed(String),
    #[error("something is missing that a command needs: see above")]
    Lacking,
    #[error("{0}")]
    Unhealthy(String),
    #[error("stopped at once: running requests were not answered")]
    StoppedAtOnce,
    #[error("{0}")]
    Switch(SwitchError),
    #[error("in the arm `{arm}`: {error}")]
    Arm { arm: String, error: Box<LoadError> },
    #[error("{report}{}", before.as_ref().map(|failure| format!("\nthe experiment had ended with: {failure}")).unwrap_or_default())]
    NotPutBack { report: String, before: Option<Box<Failure>> },
    #[error(transparent)]
    Exporter(#[from] ExporterError),
    #[error(transparent)]
    Load(LoadError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot listen at {address}: {source}")]
    CannotListen { address: String, source: std::io::Error },
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Ctrl-C, SIGTERM, or a terminal that is gone (SIGHUP).
    #[error("interrupted{}", if *.shown { "" } else { " before there was enough to show: an interval needs six blocks \
        of phases" })]
    Interrupted {
        /// The blocks until then sufficed for a result, which has been written.
        shown: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    /// A serving process is unhealthy, or cannot be asked: health checkers know no other code.
    Unhealthy = 1,
    /// Options, URLs or files of the command line are wrong.
    Usage = 2,
    /// The target could not be reached: name, connection, TLS, time-out.
    Unreachable = 3,
    UnexpectedAnswer = 4,
    CannotMeasure = 5,
    CannotWrite = 6,
    CannotRead = 7,
    /// A limit or condition did not hold.
    Gate = 8,
    /// A knob or a service of an experiment could not be switched; everything has been put back.
    CannotSwitch = 9,
    NotPutBack = 10,
    /// An address cannot be bound, or the system refuses something else that serving needs.
    CannotServe = 11,
    /// Not all awaited nodes have confirmed a purge.
    Unconfirmed = 12,
    /// This machine lacks something that a command needs.
    Lacking = 13,
    /// Ctrl-C, SIGTERM or SIGHUP; the blocks until then are shown if they suffice.
    Interrupted = 130,
}

// === impl Failure ===

impl Failure {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Usage(_) | Self::Request(_) | Self::Header(_) | Self::Statuses(_) | Self::UrlList(_) => Code::Usage,
            Self::AccessLog(_) | Self::Experiment(_) | Self::Evidence(_) | Self::Application(_) => Code::Usage,
            Self::Config(_) | Self::Serve(ServeError::Upstream { .. } | ServeError::Site { .. }) => Code::Usage,
            Self::Purge(PurgeError::NoAdmin(_) | PurgeError::Refused(_)) => Code::Usage,
            Self::ProfileFile(_) | Self::Merge(_) => Code::Usage,
            Self::Outlook(OutlookError::System(_)) | Self::Serve(_) | Self::CannotListen { .. } => Code::CannotServe,
            Self::Outlook(_) => Code::Usage,
            Self::Purge(PurgeError::Unreachable { .. }) | Self::Connections { .. } => Code::Unreachable,
            Self::Agent(_) | Self::Session(_) | Self::AgentLost { .. } => Code::Unreachable,
            Self::Purge(PurgeError::Unexpected { .. }) => Code::UnexpectedAnswer,
            Self::NothingAnswered { .. } | Self::SomeFailed { .. } => Code::UnexpectedAnswer,
            Self::Profiler(ProfilerError::Load(error)) => code_of(error),
            Self::Profiler(ProfilerError::Answer(_)) => Code::UnexpectedAnswer,
            Self::CannotMeasure(_) | Self::NothingCompared | Self::Profiler(_) => Code::CannotMeasure,
            Self::Unconfirmed(_) => Code::Unconfirmed,
            Self::Lacking => Code::Lacking,
            Self::Unhealthy(_) => Code::Unhealthy,
            Self::StoppedAtOnce | Self::Interrupted { .. } => Code::Interrupted,
            Self::Switch(_) | Self::InTheWay(_) => Code::CannotSwitch,
            Self::Arm { error, .. } => code_of(error),
            Self::NotPutBack { .. } => Code::NotPutBack,
            Self::Record(RecordError::Io { doing: "write", .. }) | Self::Output(_) => Code::CannotWrite,
            Self::Record(_) => Code::Usage,
            Self::Gate(_) => Code::Gate,
            Self::AgentLoad { kind, .. } => of_kind(*kind),
            Self::Exporter(error) => match error {
                ExporterError::Load { source, .. } => code_of(source),
                ExporterError::Status { .. } | ExporterError::Coded { .. } | ExporterError::Text { .. } => {
                    Code::UnexpectedAnswer
                }
                ExporterError::Late { .. } => Code::Unreachable,
                ExporterError::NotFresh { .. } | ExporterError::Ended { .. } | ExporterError::Thread { .. } => {
                    Code::CannotMeasure
                }
                ExporterError::NoName
                | ExporterError::Url { .. }
                | ExporterError::Twice { .. }
                | ExporterError::TooMany { .. } => Code::Usage,
            },
            Self::Load(error) => code_of(error),
            Self::Probe(_) => Code::CannotRead,
            Self::Store(error) => of_store(error),
        }
    }
}

fn code_of(error: &LoadError) -> Code {
    match error {
        LoadError::Config { .. } | LoadError::NoSuchRequest { .. } => Code::Usage,
        LoadError::RootsFile { .. }
        | LoadError::RootsCertificate { .. }
        | LoadError::IdentityFile { .. }
        | LoadError::TooFewFiles { .. }
        | LoadError::Identity { .. } => Code::Usage,
        LoadError::UnexpectedStatus { .. }
        | LoadError::ClosedEarly { .. }
        | LoadError::Protocol { .. }
        | LoadError::UnexpectedBody { .. }
        | LoadError::BodyTooLarge { .. } => Code::UnexpectedAnswer,
        _ => Code::Unreachable,
    }
}

/// Like [`code_of`], for an error that another host met.
fn of_kind(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::Connect | ErrorKind::Tls | ErrorKind::Timeout | ErrorKind::Client => Code::Unreachable,
        ErrorKind::Closed | ErrorKind::Protocol | ErrorKind::Status | ErrorKind::Body => Code::UnexpectedAnswer,
    }
}

fn of_store(error: &StoreError) -> Code {
    match error {
        StoreError::Address(_)
        | StoreError::NoSuchRun { .. }
        | StoreError::NoStore { .. }
        | StoreError::NoHome
        | StoreError::Label(_)
        | StoreError::ManyLabels { .. }
        | StoreError::LongPage { .. } => Code::Usage,
        _ => Code::CannotWrite,
    }
}

fn nothing_answered(planned: u64) -> String {
    match planned {
        0 => "nothing was sent: the time ended before the first planned request".to_owned(),
        _ => format!("none of {planned} requests was answered as expected: see the errors above"),
    }
}

fn some_statuses(statuses: &str) -> String {
    if statuses.is_empty() { String::new() } else { format!(" (statuses: {statuses})") }
}

impl From<unladen_agent::SessionError> for Failure {
    fn from(error: unladen_agent::SessionError) -> Self {
        match error {
            unladen_agent::SessionError::Cancelled { .. } => Self::Interrupted { shown: false },
            error => Self::Session(error),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        if matches!(error, LoadError::Cancelled) { Self::Interrupted { shown: false } } else { Self::Load(error) }
    }
}

impl From<SwitchError> for Failure {
    fn from(error: SwitchError) -> Self {
        match error {
            SwitchError::NoExperiment { .. } => Self::Usage(error.to_string()),
            SwitchError::LeftOver(report) => Self::NotPutBack { report: report.to_string(), before: None },
            error => Self::Switch(error),
        }
    }
}

impl From<DestinationError> for Failure {
    fn from(error: DestinationError) -> Self {
        match error {
            DestinationError::Format(why) => Self::Usage(why),
            DestinationError::Output(error) => Self::Output(error),
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

impl From<ProfilerError> for Failure {
    fn from(error: ProfilerError) -> Self {
        match error {
            ProfilerError::Cancelled | ProfilerError::Load(LoadError::Cancelled) => Self::Interrupted { shown: false },
            error => Self::Profiler(error),
        }
    }
}
