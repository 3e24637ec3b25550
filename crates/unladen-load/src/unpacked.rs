//! The principal type is [`Unpacked`]: the kept part of a body, without its coding.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};

/// Maximum bytes unpacked: pages are smaller, and other content need not be compared with one.
pub(crate) const MOST: usize = 4 << 20;

/// The kept part of a body, without its coding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    pub content: Bytes,
    pub is_whole: bool,
}

/// Content codings of a body in lower case, joined by commas; `None` if there is none.
pub(crate) fn coding(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    let all: Vec<String> =
        lines.map(|line| String::from_utf8_lossy(line.as_bytes().trim_ascii()).to_lowercase()).collect();
    Some(all.join(", ")).filter(|coding| !coding.is_empty() && coding != "identity")
}

impl Unpacked {
    /// Unpacks a body, or its beginning; `None` for other codings than gzip.
    pub(crate) fn of(coding: Option<&str>, body: &Bytes, is_all: bool) -> Option<Self> {
        match coding {
            None => Some(Self { content: body.clone(), is_whole: is_all }),
            // An answer without a body may still name a coding.
            Some(_) if body.is_empty() => Some(Self { content: Bytes::new(), is_whole: is_all }),
            Some("gzip" | "x-gzip") => {
                let mut content = Vec::new();
                // Bytes before an error, or the end of the kept part, stay in it.
                let read = MultiGzDecoder::new(&body[..]).take(MOST as u64 + 1).read_to_end(&mut content);
                let is_whole = is_all && read.is_ok() && content.len() <= MOST;
                content.truncate(MOST);
                Some(Self { content: content.into(), is_whole })
            }
            Some(_) => None,
        }
    }
}
