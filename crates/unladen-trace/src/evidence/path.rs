//! The principal type is [`PathSeen`]: other stations of the request.

use serde::{Deserialize, Serialize};

use super::connection::Protocol;

/// A request's known path beside the groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSeen {
    /// Peers that were asked for the request, and cannot be examined.
    pub beyond: Vec<PeerSeen>,
    pub unknown: Option<PathUnknown>,
}

/// A peer that was asked, and cannot be examined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PeerSeen {
    /// `10.0.0.5:5432`
    pub peer: String,
    pub protocol: Protocol,
    pub why: Unseen,
}

/// Why a peer cannot be examined. Older recordings contain the words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// Nobody listens there in this machine's own network.
    #[default]
    #[serde(alias = "nobody listens there in this machine's own network: another host, or a container's network")]
    Elsewhere,
    /// The listener may not be examined.
    #[serde(alias = "who listens there is hidden from this user")]
    Hidden,
    /// No address leads there.
    #[serde(alias = "the request was handed over a socket without a name")]
    Nameless,
    /// Others were followed.
    #[serde(alias = "more servers are asked than are followed")]
    TooMany,
}

/// Why a path is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathUnknown {
    pub why: String,
    /// What would help; empty if nothing does.
    pub takes: String,
}

impl Unseen {
    /// Parses its half of a sentence.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Elsewhere, Self::Hidden, Self::Nameless, Self::TooMany]
            .into_iter()
            .find(|unseen| unseen.as_str() == text)
    }

    /// Half a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "nobody listens there in this machine's own network: another host, or a container's network"
            }
            Self::Hidden => "who listens there is hidden from this user",
            Self::Nameless => "the request was handed over a socket without a name",
            Self::TooMany => "more servers are asked than are followed",
        }
    }
}
