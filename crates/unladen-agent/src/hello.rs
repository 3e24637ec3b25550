//! The principal type is [`Hello`]: the first frame in each direction.
//!
//! Its layout never changes, so that incompatible versions can say so: eight bytes [`MAGIC`], the version of the
//! protocol (4 bytes, least significant first), and the version of the program (UTF-8).

/// Version of all frames but the hello. Raised with each change of a message.
pub const PROTOCOL: u32 = 3;

const MAGIC: &[u8; 8] = b"UNLADEN\n";

const MAX_VERSION: usize = 64;

/// Protocol and program version of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    pub protocol: u32,
    /// Program version, such as `0.1.0`.
    pub version: String,
}

impl Hello {
    /// This program's hello.
    pub fn own() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Encodes the body of a frame.
    pub fn encode(&self) -> Vec<u8> {
        [MAGIC, &self.protocol.to_le_bytes()[..], self.version.as_bytes()].concat()
    }

    /// Decodes the body of a frame; `None` if it is no hello.
    pub fn decode(body: &[u8]) -> Option<Self> {
        let (protocol, version) = body.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let version = std::str::from_utf8(version).ok()?;
        let shows = version.len() <= MAX_VERSION && !version.chars().any(char::is_control);
        shows.then(|| Self { protocol: u32::from_le_bytes(*protocol), version: version.to_owned() })
    }

    /// Whether the other side's further frames can be understood.
    pub fn is_understood(&self) -> bool {
        self.protocol == PROTOCOL
    }

    /// The line that `unladen agent --protocol` prints.
    pub fn line(&self) -> String {
        format!("unladen-agent-protocol {} {}", self.protocol, self.version)
    }
}

#[cfg(test)]
mod tests;
