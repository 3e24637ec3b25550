//! Content codings (RFC 9110, sections 8.4.1 and 12.5.3).

/// A content coding that bodies are given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

/// What a client takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    pub brotli: bool,
    pub zstd: bool,
    pub gzip: bool,
    /// Not only if `identity;q=0` or `*;q=0` says so.
    pub identity: bool,
}

impl Accepted {
    /// Of `Accept-Encoding`, all lines of it joined; none: anything, of which identity is the safe choice.
    pub fn of(header: Option<&[u8]>) -> Self {
        todo!()
    }

    /// In the order to be tried: the best first.
    pub fn each(self) -> impl Iterator<Item = Coding> {
        std::iter::empty()
    }
}

impl Coding {
    pub fn as_str(self) -> &'static str {
        todo!()
    }

    /// A body in this coding; none: it would be no shorter.
    pub fn encode(self, body: &[u8]) -> Option<Vec<u8>> {
        todo!()
    }

    /// Whether a body of this media type is worth it.
    pub fn is_worth_it(content_type: &[u8]) -> bool {
        todo!()
    }
}
