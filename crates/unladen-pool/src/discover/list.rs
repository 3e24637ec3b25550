//! [`parse`]: the endpoints in a JSON text.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

use serde::de::{Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, de};

use super::found::{Found, LONGEST_ZONE, MOST, is_zone};
use crate::endpoint::Address;

/// Maximum weight, as in a configuration.
const MOST_WEIGHT: u32 = 1_000;
/// Envoy's own bound of priorities.
const MOST_PRIORITY: u32 = 127;

const ADDRESS: &str =
    "an address with a port such as \"10.0.0.7:8080\" or \"[fd00::7]:8080\", or \"unix:/run/app.sock\"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object {\"endpoints\": [...]}")]
struct Document {
    #[serde(deserialize_with = "endpoints")]
    endpoints: Vec<Found>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as {\"address\": \"10.0.0.7:8080\"}")]
struct Listed {
    #[serde(deserialize_with = "address")]
    address: Address,
    #[serde(default = "one", deserialize_with = "weight")]
    weight: u32,
    #[serde(default, deserialize_with = "priority")]
    priority: u32,
    #[serde(default, deserialize_with = "zone")]
    zone: Option<String>,
    #[serde(default)]
    draining: bool,
}

/// Endpoints of a text, perhaps none.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Found>, serde_json::Error> {
    serde_json::from_slice::<Document>(bytes).map(|document| document.endpoints)
}

/// Error without its position, on one line, though it may quote the file.
pub(super) fn why(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let why = text.rsplit_once(" at line ").map_or(&*text, |(why, _)| why);
    why.replace(char::is_control, " ")
}

fn one() -> u32 {
    1
}

fn endpoints<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Found>, D::Error> {
    struct List;
    impl<'de> Visitor<'de> for List {
        type Value = Vec<Found>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of endpoints")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Found>, A::Error> {
            let mut all = Vec::new();
            let mut seen = HashSet::new();
            while let Some(Listed { address, weight, priority, zone, draining }) = list.next_element()? {
                if all.len() == MOST {
                    return Err(A::Error::custom(format!(
                        "more than {MOST} endpoints: an upstream cannot have so many"
                    )));
                }
                if !seen.insert(address.clone()) {
                    return Err(A::Error::custom(format!(
                        "endpoint {} repeats the address {address}: list it once, with a larger `weight`",
                        all.len() + 1
                    )));
                }
                all.push(Found { address, weight, priority, zone, draining });
            }
            Ok(all)
        }
    }
    deserializer.deserialize_seq(List)
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Address, D::Error> {
    struct Text;
    impl de::Visitor<'_> for Text {
        type Value = Address;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(ADDRESS)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Address, E> {
            let wrong = || E::invalid_value(Unexpected::Str(&text.chars().take(100).collect::<String>()), &ADDRESS);
            if let Some(path) = text.strip_prefix("unix:") {
                let is_path = path.starts_with('/') && !path.chars().any(char::is_control) && path.len() < 108;
                return if is_path { Ok(Address::Unix(PathBuf::from(path))) } else { Err(wrong()) };
            }
            let address: std::net::SocketAddr = text.parse().map_err(|_| wrong())?;
            let is_usable = address.port() > 0 && !address.ip().is_unspecified() && !address.ip().is_multicast();
            if is_usable { Ok(Address::Tcp(vec![address])) } else { Err(wrong()) }
        }
    }
    deserializer.deserialize_str(Text)
}

fn weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let weight = u64::deserialize(deserializer)?;
    match u32::try_from(weight) {
        Ok(weight @ 1..=MOST_WEIGHT) => Ok(weight),
        _ => Err(D::Error::custom(format!(
            "the weight {weight}, expected 1 to {MOST_WEIGHT}; \"draining\": true takes an endpoint out"
        ))),
    }
}

fn priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let priority = u64::deserialize(deserializer)?;
    match u32::try_from(priority) {
        Ok(priority @ 0..=MOST_PRIORITY) => Ok(priority),
        _ => Err(D::Error::custom(format!("the priority {priority}, expected 0 (the first) to {MOST_PRIORITY}"))),
    }
}

fn zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let zone = String::deserialize(deserializer)?;
    if !is_zone(&zone) {
        return Err(D::Error::custom(format!("the zone must be a name of 1 to {LONGEST_ZONE} bytes, on one line")));
    }
    Ok(Some(zone))
}

#[cfg(test)]
mod tests;
