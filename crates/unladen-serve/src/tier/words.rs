//! The principal types are [`Question`] and [`Told`]: what a node's question to a peer, and the peer's answer, carry
//! besides the message.
//!
//! Both are in `X-Unladen-` fields, which are removed from what clients and applications send.

use std::net::IpAddr;

use sha2::{Digest, Sha256};
use unladen_fleet::Position;
use unladen_http1::Fields;

/// In requests and answers.
pub(crate) const TIER: &[u8] = b"x-unladen-tier";
/// In requests.
pub(crate) const SECRET: &[u8] = b"x-unladen-tier-secret";
/// Longest meaningful value, in bytes: an address and a bus position are shorter.
const LONGEST: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The client; `None` if it has no address.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
    /// Position up to which the asker has applied the fleet's purges; `None` without a fleet.
    pub(crate) position: Option<Position>,
    /// Only stored answers are wanted.
    pub(crate) only_stored: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// Hash of the validator's answer under which it is current; `None` without a validator.
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

    /// `None` if missing, duplicate or invalid.
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
                // A newer version's question would not be answered as meant.
                _ => return None,
            }
        }
        Some(question)
    }
}

impl Told {
    pub(crate) fn of(version: Option<&[u8]>) -> Self {
        Self { label: version.map(label) }
    }

    pub(crate) fn write(&self, fields: &mut Fields) {
        match &self.label {
            Some(label) => fields.push(TIER, format!("answer;label={label}").as_bytes()),
            None => fields.push(TIER, b"answer"),
        }
    }

    /// `None` if it is no answer to a peer.
    pub(crate) fn read(fields: &Fields) -> Option<Self> {
        match only(fields, TIER)?.strip_prefix("answer")? {
            "" => Some(Self { label: None }),
            more => Some(Self { label: Some(more.strip_prefix(";label=")?.to_owned()) }),
        }
    }
}

/// Compares the secret in constant time.
pub(crate) fn is_secret(fields: &Fields, secret: &str) -> bool {
    let Some(given) = only(fields, SECRET) else { return false };
    let (given, secret) = (Sha256::digest(given), Sha256::digest(secret));
    let differences = given.iter().zip(secret.iter()).fold(0, |all, (one, other)| all | (one ^ other));
    std::hint::black_box(differences) == 0
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashed, as a validator's answer may be long, or no text.
fn label(version: &[u8]) -> String {
    hex(&Sha256::digest(version))
}

/// Value of a field that occurs once, is UTF-8, and not too long.
fn only<'f>(fields: &'f Fields, name: &[u8]) -> Option<&'f str> {
    let mut found = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
    let value = found.next()?.value;
    let is_alone = found.next().is_none() && value.len() <= LONGEST;
    std::str::from_utf8(value).ok().filter(|_| is_alone)
}

#[cfg(test)]
mod tests;
