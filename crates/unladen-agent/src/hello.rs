//! The principal type is [`Hello`]: the first frame each way.
//!
//! Its layout stays as it is for ever, so that two versions that do not understand each other can say so: eight bytes
//! [`MAGIC`], the version of the protocol (4 bytes, least significant first), and the version of the program (UTF-8).

/// Version of all frames but the hello. Raised with each change of a message.
pub const PROTOCOL: u32 = 2;

/// The first bytes of a hello.
const MAGIC: &[u8; 8] = b"UNLADEN\n";

/// Longest version of a program.
const MAX_VERSION: usize = 64;

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Of the frames.
    pub protocol: u32,
    /// Of the program, such as `0.1.0`.
    pub version: String,
}

impl Hello {
    /// This program's.
    pub fn own() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// As the body of a frame.
    pub fn encode(&self) -> Vec<u8> {
        [MAGIC, &self.protocol.to_le_bytes()[..], self.version.as_bytes()].concat()
    }

    /// Of the body of a frame; `None` if it is no hello.
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
mod tests {
    use super::*;

    #[test]
    fn a_hello_reads_back_as_itself() {
        assert_eq!(Hello::decode(&Hello::own().encode()), Some(Hello::own()));
        assert_eq!(Hello::own().line(), format!("unladen-agent-protocol 2 {}", env!("CARGO_PKG_VERSION")));
    }

    /// What another version sends, for ever.
    #[test]
    fn the_layout_of_a_hello_stays() {
        let later = Hello::decode(b"UNLADEN\n\x09\x00\x00\x007.2.1").unwrap();
        assert_eq!(later, Hello { protocol: 9, version: "7.2.1".into() });
        assert!(!later.is_understood());
        assert_eq!(Hello { protocol: 9, version: "7.2.1".into() }.encode(), b"UNLADEN\n\x09\x00\x00\x007.2.1");
    }

    #[test]
    fn what_is_no_hello_is_none() {
        for body in
            [&b""[..], b"UNLADEN", b"UNLADEN\n\x01\0\0", b"unladen\n\x01\0\0\x000.1", b"UNLADEN\n\x01\0\0\0\xff"]
        {
            assert_eq!(Hello::decode(body), None, "{body:?}");
        }
        assert_eq!(Hello::decode(b"UNLADEN\n\x01\0\0\0\x1b[2J"), None, "nothing that a terminal would obey");
        assert_eq!(Hello::decode(&[&b"UNLADEN\n\x01\0\0\0"[..], &[b'1'; 65]].concat()), None);
    }
}
