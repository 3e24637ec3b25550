//! The principal type is [`PathSeen`]: who else the request goes through.

use serde::{Deserialize, Serialize};

use super::connection::Protocol;

/// What is known of a request's path beside the groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSeen {
    /// Who was asked for the request, and cannot be looked at.
    pub beyond: Vec<PeerSeen>,
    /// Why it is not known, or not from some point on.
    pub unknown: Option<PathUnknown>,
}

/// Somebody who was asked, and cannot be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PeerSeen {
    /// `10.0.0.5:5432`
    pub peer: String,
    /// What is spoken.
    pub protocol: Protocol,
    /// Why it cannot be looked at.
    pub why: Unseen,
}

/// Why somebody who was asked cannot be looked at. Recordings that are older have its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// Nobody in this machine's own network listens there.
    #[default]
    #[serde(alias = "nobody listens there in this machine's own network: another host, or a container's network")]
    Elsewhere,
    /// Nobody who may be looked at does.
    #[serde(alias = "who listens there is hidden from this user")]
    Hidden,
    /// No address leads there.
    #[serde(alias = "the request was handed over a socket without a name")]
    Nameless,
    /// Others were followed.
    #[serde(alias = "more servers are asked than are followed")]
    TooMany,
}

/// Why a path is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathUnknown {
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
}

impl Unseen {
    /// By its half of a sentence.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Elsewhere, Self::Hidden, Self::Nameless, Self::TooMany]
            .into_iter()
            .find(|unseen| unseen.as_str() == text)
    }

    /// In half a sentence.
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
