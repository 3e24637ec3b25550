//! The proxy: listeners, and the life of a request.

mod answer;
mod attempt;
mod background;
mod budget;
mod client;
mod client_h1;
mod client_h2;
mod compose;
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
mod malloc;
mod peer;
mod phase;
mod plan;
mod proxy;
mod rates;
mod request_state;
mod run;
mod say;
mod shortage;
mod site;
mod spool;
mod stream;
mod stretch;
mod transaction;
mod trial;
mod tunnel;
mod watch;
mod worker;

pub use control::{Ended, ServeError, try_upstreams};
pub use run::run;
pub use site::{AnswerSeen, Asking, CookieSeen, KeptFor, Outlook, OutlookError, Rule, ValidatorSeen, WhyNot, outlook};
pub use trial::{Failed, Trial, try_connections};
