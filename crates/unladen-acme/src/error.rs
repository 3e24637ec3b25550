//! The principal type is [`AcmeError`]: why there is no new certificate.

use crate::client::{self, ClientError};
use crate::issued::IssuedError;
use crate::state::StateError;
use crate::wanted::ChallengeKind;

/// Why there is no new certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcmeError {
    #[error("the authority cannot be reached ({doing}): {cause}")]
    Unreachable {
        doing: &'static str,
        cause: String,
        /// When the authority wants to be asked again, in seconds since 1970.
        retry_after: Option<u64>,
    },
    #[error("the authority refuses ({doing}): {said}")]
    Refused {
        doing: &'static str,
        said: String,
        /// The last part of the problem's type, such as `rateLimited`.
        kind: String,
        /// When the authority wants to be asked again, in seconds since 1970.
        retry_after: Option<u64>,
    },
    /// The authority could not verify control of a name.
    #[error(
        "the authority could not verify that `{name}` is this machine ({}; from outside, try `{}`): {said}",
        kind.as_str(),
        kind.command(name)
    )]
    Challenge { name: String, kind: ChallengeKind, said: String },
    #[error(
        "the authority offers none of the allowed challenges for `{name}`: it offers {offered}; set `challenge` to \
         one of them"
    )]
    NoChallenge { name: String, offered: String },
    #[error("the authority did not finish ({doing}) within {seconds} s")]
    Slow { doing: &'static str, seconds: u64 },
    #[error("the received certificate is not used: {0}")]
    Unproven(#[from] IssuedError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error("{0}")]
    Setup(String),
}

impl AcmeError {
    /// The kind in one word, for logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "authority_unreachable",
            Self::Refused { kind, .. } if kind == "rateLimited" => "authority_rate_limited",
            Self::Refused { .. } | Self::NoChallenge { .. } => "authority_refused",
            Self::Challenge { .. } => "challenge_failed",
            Self::Slow { .. } => "authority_timeout",
            Self::Unproven(_) => "certificate_unproven",
            Self::State(_) => "state",
            Self::Setup(_) => "setup",
        }
    }

    /// When the authority wants to be asked again, in seconds since 1970.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Unreachable { retry_after, .. } | Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Converts the library's error; `retry_after` is from the last answer.
    pub(crate) fn of(doing: &'static str, retry_after: Option<u64>) -> impl Fn(instant_acme::Error) -> Self {
        move |error| match error {
            instant_acme::Error::Api(said) => {
                let kind = client::kind(&said).to_owned();
                Self::Refused { doing, said: client::text(&said), kind, retry_after }
            }
            instant_acme::Error::Timeout(_) => Self::Slow { doing, seconds: client::ORDER.as_secs() },
            instant_acme::Error::Other(other) => match other.downcast::<ClientError>() {
                Ok(client) => {
                    let retry_after = client.retry_after();
                    Self::Unreachable { doing, cause: client::clean(&client.to_string()), retry_after }
                }
                Err(other) => Self::Unreachable { doing, cause: client::clean(&other.to_string()), retry_after },
            },
            other => Self::Unreachable { doing, cause: client::clean(&other.to_string()), retry_after },
        }
    }
}
