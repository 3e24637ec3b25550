//! Purges that reach all processes of a fleet, over engines that already exist (Valkey and others): read from a
//! position, applied, and only then confirmed.
//!
//! The principal type is [`Fleet`]: this process as one node of a fleet. [`PurgeBus`] is the interface of an engine,
//! with one file a back end and one list, [`BUSES`]. [`Lease`] tells, by this machine's clock, whether the fleet still
//! relies on this node, and this node has certainly received everything.
//!
//! ```
//! use unladen_fleet::{Position, Record, What};
//!
//! let record = Record {
//!     node: "web-1.5f3a".to_owned(),
//!     number: 1,
//!     site: Some("shop".to_owned()),
//!     what: What::Tag("pledge-7".to_owned()),
//!     is_soft: false,
//! };
//! assert_eq!(Record::read(record.write().as_bytes()).unwrap(), record);
//!
//! let (read, written) = (Position::new("a", 7).unwrap(), Position::new("a", 6).unwrap());
//! assert!(read.has_reached(&written) && !written.has_reached(&read));
//! // Of another epoch, nothing is known.
//! assert!(!Position::new("b", 8).unwrap().has_reached(&written));
//! ```
#![forbid(unsafe_code)]

mod bus;
mod bus_trial;
mod bus_url;
mod error;
mod fleet;
mod htcp;
mod lease;
mod nodes;
mod purge_bus;
mod recent;
mod record;
mod settings;

// No product has it: the tests of other crates ask for the feature.
#[cfg(any(test, feature = "testing"))]
#[path = "tests/memory.rs"]
mod memory;

pub use bus::valkey::{Reply as ValkeyReply, ValkeyEngine, ValkeyPlace, resp_is_readable};
pub use bus::{BUSES, open};
pub use bus_trial::try_bus;
pub use bus_url::BusUrl;
pub use error::BusError;
pub use fleet::{Fleet, Hold};
pub use htcp::{HtcpClear, HtcpError, LONGEST_HTCP_DATAGRAM, LONGEST_HTCP_URL};
pub use lease::Lease;
#[cfg(any(test, feature = "testing"))]
pub use memory::{MemoryEngine, Wire};
pub use nodes::{FleetState, Member, NodeOutcome, NodeState, Nodes, Outcome};
pub use purge_bus::{Answer, BATCH, BackEnd, MEMBERS, PurgeBus, Read};
pub use record::{Forget, LONGEST, News, Page, Position, Record, RecordError, What};
pub use settings::{BusSettings, FleetSettings, Wait, WhenCutOff};
