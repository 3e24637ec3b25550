//! The principal type is [`Carried`]: what a request carries besides method and URL, so that it can be sent again.

use serde::{Deserialize, Serialize};

/// What a request carries, without the values of secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carried {
    /// Given headers in order.
    pub headers: Vec<HeaderCarried>,
    pub body: Option<BodyCarried>,
    /// Unusual ways of sending: options of the command line, such as `--http` and `2`.
    pub options: Vec<OptionCarried>,
}

/// A header of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeaderCarried {
    /// In lower case.
    pub name: String,
    /// `None` if it may be secret.
    pub value: Option<String>,
}

/// The body of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyCarried {
    pub bytes: u64,
    /// Its text; `None` if long, binary, or possibly secret.
    pub text: Option<String>,
}

/// An option of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionCarried {
    /// `--http`
    pub name: String,
    /// `2`; `None` for a switch.
    pub value: Option<String>,
}

impl Carried {
    /// Whether it is a plain request for the URL.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
