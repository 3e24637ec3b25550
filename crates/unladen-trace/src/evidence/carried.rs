//! The principal type is [`Carried`]: what a request carries besides its method and URL, so that it can be sent again.

use serde::{Deserialize, Serialize};

/// What a request carries, without the values of secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carried {
    /// Headers that were given, in their order.
    pub headers: Vec<HeaderCarried>,
    /// The body, if there is one.
    pub body: Option<BodyCarried>,
    /// How it is sent, where that is not the usual: options of the command line, such as `--http` and `2`.
    pub options: Vec<OptionCarried>,
}

/// A header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeaderCarried {
    /// Its name, in lower case.
    pub name: String,
    /// Its value; none where that may be a secret.
    pub value: Option<String>,
}

/// A body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyCarried {
    /// Its length.
    pub bytes: u64,
    /// What it says; none where it is long, no text, or may be a secret.
    pub text: Option<String>,
}

/// An option of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionCarried {
    /// `--http`
    pub name: String,
    /// `2`; none of a switch.
    pub value: Option<String>,
}

impl Carried {
    /// Whether it is a plain request for the URL.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
