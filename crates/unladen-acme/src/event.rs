//! The principal type is [`Event`]: what happens to certificates, for a server's log.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::text as time;
use crate::error::AcmeError;

/// What happens to certificates. Its display is a sentence.
#[derive(Debug, derive_more::Display)]
#[non_exhaustive]
pub enum Event<'a> {
    #[display("ordering a certificate for {} from {directory}: {why}", listed(names))]
    Ordering { names: &'a [String], directory: &'a str, why: &'static str },
    /// Clients get a new certificate from now on.
    #[display(
        "the certificate for {}{} is in force; it expires {}",
        listed(names), if *is_found { ", which another process has ordered," } else { "" }, time(*not_after)
    )]
    Held {
        names: &'a [String],
        /// The last second of validity, since 1970.
        not_after: u64,
        /// Whether another process has ordered it.
        is_found: bool,
    },
    /// A certificate is not yet valid by this machine's clock, which must be slow.
    #[display(
        "the certificate for {name} is valid from {}, and this machine's clock says {}: set the clock (`timedatectl` \
         shows whether it is synchronized)",
        time(*not_before), time(*now)
    )]
    SlowClock {
        name: &'a str,
        /// The first second of validity, since 1970 …
        not_before: u64,
        /// … and the clock's time.
        now: u64,
    },
    // Long text may be cut: the authority's words come last.
    #[display("no new certificate for {name} (next order: {}; {}): {error}", time(*next), meanwhile(*not_after))]
    Failed {
        name: &'a str,
        error: &'a AcmeError,
        /// When the next order may begin, in seconds since 1970.
        next: u64,
        /// The last second of validity of the current certificate, if any.
        not_after: Option<u64>,
    },
    /// A state file is invalid, and is replaced.
    #[display("{} cannot be used and will be replaced: {why}", path.display())]
    Spoiled { path: &'a std::path::Path, why: &'a str },
    /// The authority rejects the contact address; all else goes on.
    #[display("{directory} keeps the previous contact address (`email` of `acme`): {error}")]
    Contact { directory: &'a str, error: &'a AcmeError },
    #[display("another process orders the certificate for {name}: waiting for it")]
    Elsewhere { name: &'a str },
    /// The state cannot be written, so nothing is ordered.
    #[display("cannot order a certificate for {name}: {error}")]
    Stuck { name: &'a str, error: &'a AcmeError },
    /// Nothing is ordered before `next`, as an earlier process has recorded.
    #[display(
        "the last order of a certificate for {name} failed: {error}; next order: {} (`rm {}` to order at once)",
        time(*next), path.display()
    )]
    Waiting {
        name: &'a str,
        /// Seconds since 1970.
        next: u64,
        error: &'a str,
        path: &'a std::path::Path,
    },
}

fn meanwhile(not_after: Option<u64>) -> String {
    match not_after {
        Some(at) => format!("the previous one, which expires {}, stays in force", time(at)),
        None => "handshakes for it are refused".to_owned(),
    }
}

/// Number of names shown; further ones are in the configuration.
const SHOWN: usize = 5;

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

pub(crate) type Tell = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// Intervals of the keeper.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// For another process's certificate, or a removed file.
    pub look: Duration,
    /// For changed answers to authorities.
    pub answers: Duration,
    /// Pause between an answer's placement and telling the authority: longer than [`Pace::answers`].
    pub settle: Duration,
    /// For the end of another process's order.
    pub elsewhere: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(5),
            answers: Duration::from_secs(1),
            settle: Duration::from_millis(1500),
            elsewhere: Duration::from_secs(2),
        }
    }
}
