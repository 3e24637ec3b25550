//! The principal types are [`Question`] and [`Told`]: what a node says of its question to a peer besides the request,
//! and what the peer says of its answer.
//!
//! Both stand in fields that begin with `X-Unladen-`, which are taken off whatever clients and applications send.

use std::net::IpAddr;

use sha2::{Digest, Sha256};
use unladen_fleet::Position;
use unladen_http1::Fields;

/// Of requests and answers.
pub(crate) const TIER: &[u8] = b"x-unladen-tier";
/// Of requests.
pub(crate) const SECRET: &[u8] = b"x-unladen-tier-secret";
/// More means nothing that is known: an address and a place on the bus are shorter.
const LONGEST: usize = 256;

/// What a node says of its question besides the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// For whom it asks; none: a client without an address.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
    /// All that the fleet purged up to there is forgotten where the answer goes to; none: there is no fleet.
    pub(crate) position: Option<Position>,
    /// It wants what is stored alone.
    pub(crate) only_stored: bool,
}

/// What a peer says of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// Under which answer of a validator it is current, as a hash; none: no validator is for it.
    pub(crate) label: Option<String>,
}

impl Question {
    pub(crate) fn write(&self, fields: &mut Fields) {
        let mut text = if self.is_https { "https".to_owned() } else { "http".to_owned() };
        if let Some(address) = self.address {
            text.push_str(&format!(";for={address}"));
        }
        if let Some(position) = &self.position {
            text.push_str(&format!(";at={position}"));
        }
        if self.only_stored {
            text.push_str(";stored");
        }
        fields.push(TIER, text.as_bytes());
    }

    /// None: it is not one, or there are two.
    pub(crate) fn read(fields: &Fields) -> Option<Self> {
        let mut parts = only(fields, TIER)?.split(';');
        let is_https = match parts.next()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let mut question = Self { address: None, is_https, position: None, only_stored: false };
        for part in parts {
            match part.split_once('=') {
                Some(("for", address)) if question.address.is_none() => {
                    question.address = Some(address.parse().ok()?);
                }
                Some(("at", position)) if question.position.is_none() => {
                    question.position = Some(position.parse().ok()?);
                }
                None if part == "stored" => question.only_stored = true,
                // Of a version that knows more: it would not be answered as it is meant.
                _ => return None,
            }
        }
        Some(question)
    }
}

impl Told {
    /// Of an answer that is current under this answer of a validator.
    pub(crate) fn of(version: Option<&[u8]>) -> Self {
        Self { label: version.map(label) }
    }

    pub(crate) fn write(&self, fields: &mut Fields) {
        match &self.label {
            Some(label) => fields.push(TIER, format!("answer;label={label}").as_bytes()),
            None => fields.push(TIER, b"answer"),
        }
    }

    /// None: it is no answer to a peer.
    pub(crate) fn read(fields: &Fields) -> Option<Self> {
        match only(fields, TIER)?.strip_prefix("answer")? {
            "" => Some(Self { label: None }),
            more => Some(Self { label: Some(more.strip_prefix(";label=")?.to_owned()) }),
        }
    }
}

/// Whether this is the secret: how long that takes tells nobody where they differ.
pub(crate) fn is_secret(fields: &Fields, secret: &str) -> bool {
    let Some(given) = only(fields, SECRET) else { return false };
    let (given, secret) = (Sha256::digest(given), Sha256::digest(secret));
    let differences = given.iter().zip(secret.iter()).fold(0, |all, (one, other)| all | (one ^ other));
    std::hint::black_box(differences) == 0
}

/// As hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A validator's answers may be long, or no text.
fn label(version: &[u8]) -> String {
    hex(&Sha256::digest(version))
}

/// The value of a field that is there once, and is a text of a length that means something.
fn only<'f>(fields: &'f Fields, name: &[u8]) -> Option<&'f str> {
    let mut found = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
    let value = found.next()?.value;
    let is_alone = found.next().is_none() && value.len() <= LONGEST;
    std::str::from_utf8(value).ok().filter(|_| is_alone)
}

#[cfg(test)]
mod tests;
