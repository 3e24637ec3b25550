//! The proxy: listeners, and the life of a request.

mod cache;
mod context;
mod control;
mod date;
mod downstream;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod limits;
mod listen;
mod message;
mod outlook;
mod peer;
mod plan;
mod proxy;
mod request;
mod responder;
mod run;
mod say;
mod site;
mod tier;
mod transaction;
mod upstream;
mod upstream_tasks;

pub use control::trial::{Failed, Trial, try_connections};
pub use control::{Ended, ServeError, Tried, try_upstreams};
pub use outlook::{
    AnswerSeen, Asking, CookieSeen, KeptFor, Outlook, OutlookError, RouteSeen, Rule, ValidatorSeen, WhyNot, outlook,
};
pub use run::run;
