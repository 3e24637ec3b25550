//! The agent on another host, reached over a command's stdin and stdout. The principal type is [`Session`]: it starts
//! the agent of a [`Host`], and sends it [`Ask`]s and receives its [`Answer`]s. [`FarInstrument`] reads the counters
//! there, [`FarInspection`] has its processes traced, and [`Agent`] is the other end.
//!
//! Any command that connects to stdin and stdout of a shell on the other host will do: `ssh db1`, `docker exec -i web`.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//! use unladen_agent::{FarInstrument, Host, Session, SessionOptions};
//! use unladen_probe::GroupBy;
//!
//! let host: Host = "db=ssh db1".parse()?;
//! let session = Session::start(&host, &SessionOptions::default())?;
//! let soon = || Instant::now() + Duration::from_secs(10);
//! let mut instrument = FarInstrument::open(session, GroupBy::Auto, soon())?;
//! std::thread::sleep(Duration::from_millis(500));
//! let reading = instrument.read(soon())?;
//! for (group, counter, grown) in reading.grown {
//!     let (group, counter) = (&instrument.groups()[group], &instrument.counters()[counter]);
//!     println!("db/{}  {}  {grown} {}", group.name, counter.name, counter.unit);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod agent;
mod ask;
mod binary;
mod bootstrap;
mod clock;
mod error;
mod evidence;
mod far_times;
mod frame;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hello;
mod host;
mod load;
mod probes;
mod program;
mod session;
mod shown;
mod standpoint;

pub use agent::{Agent, AgentError, Outbox, run};
pub use ask::{Answer, Ask};
pub use binary::{AgentBinary, BinaryError};
pub use clock::{ClockOffset, RoundTrips};
pub use error::SessionError;
pub use evidence::{
    EvidenceAnswer, EvidenceAsk, EvidenceError, EvidenceSide, FarInspection, FarLack, Patience, Unable, Wanted,
    read_evidence,
};
pub use far_times::FarTimes;
pub use frame::{CodecError, FrameError, FrameReader, FrameWriter, MAX_FRAME, decode, encode};
pub use hello::{Hello, PROTOCOL};
pub use host::{Host, HostError};
pub use load::{FarLoad, LoadAnswer, LoadAsk, PiecesError, ROOM, gathered, memory, memory_note, pieces};
pub use probes::{
    Account, FarCounter, FarGrown, FarInstrument, FarReading, FarShortfall, FarSide, Opened, ProbeAnswer, ProbeAsk,
};
pub use program::Program;
pub use session::{Session, SessionOptions};
pub use shown::shown;
pub use standpoint::{Standpoint, Witness};
