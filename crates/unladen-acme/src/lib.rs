//! Certificates by ACME (RFC 8555): ordered when missing, renewed when their authority says so (RFC 9773), and stored
//! on disk, where several processes may share them.
//!
//! The principal type is [`Keeper`]: it keeps each [`Wanted`] certificate [`Held`].
//!
//! ```
//! use unladen_acme::{Authority, ChallengeKind, Held, Keeper, Wanted};
//!
//! let state = std::env::temp_dir().join("unladen-acme-example");
//! let authority = Authority { directory: "https://localhost:14000/dir".into(), email: None, ca: None, eab: None, state };
//! let wanted = Wanted::new(authority, vec!["example.org".into()], vec![ChallengeKind::Http01])?;
//! let held = Held::new(&wanted);
//! // Nothing has been ordered yet; `Keeper::follow` does that, and needs the authority.
//! assert!(held.key().is_none());
//! # let _ = Keeper::default();
//! # Ok::<(), unladen_acme::WantedError>(())
//! ```
#![forbid(unsafe_code)]

mod account;
mod answers;
mod client;
mod clock;
mod error;
mod event;
mod held;
mod issued;
mod keeper;
mod order;
mod schedule;
mod state;
mod trial;
mod wanted;

pub use answers::{ACME_TLS, Answers};
pub use error::AcmeError;
pub use event::{Event, Pace};
pub use held::{Held, Look};
pub use issued::{Issued, IssuedError};
pub use keeper::Keeper;
pub use state::StateError;
pub use trial::try_directory;
pub use wanted::{Authority, ChallengeKind, ExternalAccount, Wanted, WantedError};

#[cfg(test)]
mod tests;
