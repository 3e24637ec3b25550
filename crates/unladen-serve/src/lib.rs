//! The proxy: listeners, and the life of a request.

mod cache;
mod context;
mod control;
mod downstream;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod limits;
mod listen;
mod message;
mod outlook;
mod plan;
mod proxy;
mod request;
mod responder;
mod say;
mod site;
mod tasks;
mod tier;
mod transaction;
mod upstream;

pub use self::control::trial::{Failed, Trial, try_connections};
pub use self::control::{Ended, ServeError, Tried, run, try_upstreams};
pub use self::outlook::{
    AnswerSeen, Asking, CookieSeen, KeptFor, Outlook, OutlookError, RouteSeen, Rule, ValidatorSeen, WhyNot, outlook,
};
