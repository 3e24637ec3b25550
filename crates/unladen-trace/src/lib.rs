//! What was seen of each request. The principal type is [`Evidence`]: what the requests of a page did, summed up by
//! object, so that the rules of `unladen-finding` can recognise waste in it.
//!
//! [`Event`]s come from a tracer; [`Assembly`] sorts them into requests and sums them up; `wire` and `sql` parse what
//! was sent. Nothing here traces or needs a privilege.
#![forbid(unsafe_code)]

mod assembly;
mod event;
mod evidence;
mod phases;
mod record;
mod secrets;
mod series;
pub mod sql;
mod totals;
pub mod wire;

pub use assembly::{Assembly, Resolver, Window};
pub use event::{
    Batch, Count, Countable, Event, FileCall, Language, LockCall, MAX_PATH, MAX_PAYLOAD, MAX_TAIL, Object, Peer,
    Socket, Way, What,
};
pub use evidence::{
    Ask, BodyCarried, CallerSeen, Carried, CompileSeen, ConnectionSeen, ContainerSeen, Counted, CounterSeen, DnsSeen,
    Evidence, EvidenceSource, FileOutcome, FileSeen, FunctionSeen, GroupSeen, HeaderCarried, LockKind, LockSeen,
    LogSeen, LogSink, Missing, OptionCarried, PHP_FILE, Page, PathSeen, PathUnknown, PeerSeen, PhpSetAgain, PhpSetter,
    PhpSettings, ProcessSeen, ProfileSeen, Protocol, QueryProtocol, QuerySeen, Response, ServerSeen, SleepSeen, State,
    SyscallSeen, TransferSeen, Unanswered, Unseen, Variant, is_kernels,
};
pub use phases::{PhaseSeen, Phases};
pub use record::{HostRecord, PageRecord, Recording, RecordingError};
pub use secrets::without_secrets;
pub use series::{Interval, Series};
pub use totals::Total;
