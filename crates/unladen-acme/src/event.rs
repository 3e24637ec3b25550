//! The principal type is [`Event`]: what happens to certificates, as a server says it.

use crate::clock::text as time;
use crate::error::AcmeError;

/// What happens to certificates. Displayed, it is a sentence.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An order begins.
    Ordering {
        names: &'a [String],
        /// The authority's directory.
        directory: &'a str,
        /// Why now.
        why: &'static str,
    },
    /// Clients are shown a new certificate from now on.
    Held {
        names: &'a [String],
        /// The last second in which it is valid, since 1970.
        not_after: u64,
        /// Whether another process has ordered it.
        is_found: bool,
    },
    /// A certificate begins only later, by this machine's clock: it is slow.
    SlowClock {
        /// The first name.
        name: &'a str,
        /// The first second in which it is valid, since 1970 …
        not_before: u64,
        /// … and what the clock says.
        now: u64,
    },
    /// An order failed.
    Failed {
        /// The first name.
        name: &'a str,
        error: &'a AcmeError,
        /// When the next order may begin, in seconds since 1970.
        next: u64,
        /// The last second in which the one that is shown is valid; none: there is none.
        not_after: Option<u64>,
    },
    /// A file of the state is not what it should be, and is replaced.
    Spoiled {
        /// The file.
        path: &'a std::path::Path,
        /// What is wrong with it.
        why: &'a str,
    },
    /// The authority does not take the address to which it is to write; all else goes on.
    Contact {
        /// The authority's directory.
        directory: &'a str,
        error: &'a AcmeError,
    },
    /// Another process orders.
    Elsewhere {
        /// The first name.
        name: &'a str,
    },
    /// Something cannot be kept, so that nothing is ordered.
    Stuck {
        /// The first name.
        name: &'a str,
        error: &'a AcmeError,
    },
    /// Nothing is ordered before then, as of an earlier process.
    Waiting {
        /// The first name.
        name: &'a str,
        /// Seconds since 1970.
        next: u64,
        /// Why the last order failed.
        error: &'a str,
        /// The file that holds it.
        path: &'a std::path::Path,
    },
}

impl std::fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ordering { names, directory, why } => {
                write!(f, "ordering a certificate for {} from {directory}: {why}", listed(names))
            }
            Self::Held { names, not_after, is_found } => {
                let from = if *is_found { ", which another process has ordered," } else { "" };
                write!(f, "the certificate for {}{from} is in force; it expires {}", listed(names), time(*not_after))
            }
            Self::SlowClock { name, not_before, now } => write!(
                f,
                "the certificate for {name} is valid from {}, and this machine's clock says {}: set the clock \
                 (`timedatectl` tells whether it is synchronized)",
                time(*not_before),
                time(*now)
            ),
            Self::Failed { name, error, next, not_after } => {
                let meanwhile = match not_after {
                    Some(at) => format!("the one before, which expires {}, stays in force", time(*at)),
                    None => "handshakes for it are refused".to_owned(),
                };
                // Long words may be cut: what the authority says comes last.
                write!(f, "no new certificate for {name} (next order: {}; {meanwhile}): {error}", time(*next))
            }
            Self::Spoiled { path, why } => {
                write!(f, "{} cannot be used and will be replaced: {why}", path.display())
            }
            Self::Contact { directory, error } => {
                write!(f, "{directory} goes on writing to the address that it has (`email` of `acme`): {error}")
            }
            Self::Elsewhere { name } => write!(f, "another process orders the certificate for {name}: waiting for it"),
            Self::Stuck { name, error } => write!(f, "no certificate for {name} can be ordered: {error}"),
            Self::Waiting { name, next, error, path } => {
                let path = path.display();
                write!(
                    f,
                    "the last order of a certificate for {name} failed: {error}; the next: {} (`rm {path}` for one at once)",
                    time(*next)
                )
            }
        }
    }
}

/// Of more, the configuration tells.
const SHOWN: usize = 5;

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
