//! The proxy: listeners, and the life of a request.

mod answer;
mod attempt;
mod beside;
mod client;
mod client_h1;
mod client_h2;
mod compose;
mod config;
mod context;
mod control;
mod convert;
mod date;
mod errand;
mod exchange;
mod front;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod house;
mod malloc;
mod phase;
mod plan;
mod rates;
mod record;
mod run;
mod seeing;
mod settings;
mod stream;
mod told;
mod tunnel;
mod watch;
mod worker;

pub use beside::Beside;
pub use config::*;
pub use control::{Crew, Ended, Household, ServeError, control, try_upstreams};
pub use front::*;
pub use plan::{ListenSocket, Listener, Plan, Planned, State};
pub use record::{CacheResult, End, Reason, Record, Reuse, Trace, Version};
pub use run::run;
pub use seeing::*;
pub use settings::*;
pub use worker::run as run_worker;
