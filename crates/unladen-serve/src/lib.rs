//! The proxy: listeners, and the life of a request.

mod answer;
mod attempt;
mod background;
mod budget;
mod cause;
mod client;
mod client_h1;
mod client_h2;
mod compose;
mod config;
mod context;
mod control;
mod convert;
mod date;
mod deliver;
mod exchange;
mod fetched;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod idle;
mod log_fields;
mod malloc;
mod observability;
mod pace;
mod phase;
mod plan;
mod proxy;
mod rates;
mod record;
mod request_state;
mod run;
mod say;
mod settings;
mod site;
mod spool;
mod stream;
mod transaction;
mod trial;
mod tunnel;
mod watch;
mod worker;

pub use cause::Cause;
pub use config::*;
pub use control::{Ended, ServeError, Snapshot, Workers, control, try_upstreams};
pub use log_fields::{Addresses, LogField, LogFields};
pub use observability::*;
pub use pace::Pace;
pub use plan::{ListenSocket, Listener, Plan, Planned, State};
pub use proxy::Proxy;
pub use record::{CacheResult, End, FetchRecord, Reason, RequestAccount, Reuse, Trace, Version};
pub use run::run;
pub use settings::*;
pub use site::*;
pub use trial::{Failed, Trial, try_connections};
pub use worker::run as run_worker;
