//! The principal type is [`Header`]: one header line as a user writes it, `Name: value`.
//!
//! ```
//! use unladen_load::Header;
//!
//! let header: Header = "Accept-Language: cy, en;q=0.5".parse()?;
//! assert_eq!(header.name().as_str(), "accept-language");
//! assert_eq!(header.value(), "cy, en;q=0.5");
//!
//! let error = "Accept-Language cy".parse::<Header>().unwrap_err();
//! assert!(error.to_string().contains("no colon"));
//! # Ok::<(), unladen_load::HeaderError>(())
//! ```

use std::str::FromStr;

use http::header::{self, HeaderName, HeaderValue};

/// A header's name and value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    name: HeaderName,
    value: HeaderValue,
}

/// Why a header was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    #[error("{} has no colon: write it as `Name: value`", shown(begin))]
    NoColon {
        /// The input up to the first space or `=`; empty if there is none. The rest may be secret.
        begin: String,
    },
    #[error("a header has the name `{name}`: a name is made of letters, digits and !#$%&'*+-.^_`|~, with no space")]
    Name { name: String, source: header::InvalidHeaderName },
    /// The value holds a control character, which would break the request apart.
    #[error(
        "the value of the header `{name}` contains a control character (perhaps a line break): leave it out or encode \
         it"
    )]
    Value { name: HeaderName, source: header::InvalidHeaderValue },
    /// The client uses this header to frame requests or keep connections.
    #[error("the header `{name}` is set by the client itself: {instead}")]
    Reserved { name: HeaderName, instead: &'static str },
}

/// Headers that would contradict how the client frames its messages or treats its connections.
const RESERVED: [(HeaderName, &str); 7] = [
    (header::CONNECTION, "choose between keep-alive and a connection per request instead"),
    (HeaderName::from_static("keep-alive"), "choose between keep-alive and a connection per request instead"),
    (header::CONTENT_LENGTH, "it is computed from the body"),
    (header::TRANSFER_ENCODING, "bodies are sent with their length"),
    (header::TE, "trailers are not read"),
    (header::UPGRADE, "choose the HTTP version instead"),
    (header::EXPECT, "bodies are sent at once"),
];

// === impl Header ===

impl Header {
    /// Name in lower case.
    pub fn name(&self) -> &HeaderName {
        &self.name
    }

    /// Value without surrounding white space.
    pub fn value(&self) -> &HeaderValue {
        &self.value
    }
}

impl FromStr for Header {
    type Err = HeaderError;

    fn from_str(line: &str) -> Result<Self, HeaderError> {
        let (name, value) = line.split_once(':').ok_or_else(|| {
            let (begin, _) = line.split_once([' ', '\t', '=']).unwrap_or_default();
            HeaderError::NoColon { begin: begin.to_owned() }
        })?;
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|source| HeaderError::Name { name: name.to_owned(), source })?;
        if let Some((name, instead)) = RESERVED.iter().find(|(reserved, _)| *reserved == name) {
            return Err(HeaderError::Reserved { name: name.clone(), instead });
        }
        // Only spaces and tabs surround a value (RFC 9110, section 5.5); a line break at its end is an error to show.
        let value = HeaderValue::from_bytes(value.trim_matches([' ', '\t']).as_bytes())
            .map_err(|source| HeaderError::Value { name: name.clone(), source })?;
        Ok(Self { name, value })
    }
}

fn shown(begin: &str) -> String {
    if begin.is_empty() { "a header".to_owned() } else { format!("the header `{begin} …`") }
}

#[cfg(test)]
mod tests;
