//! The principal type is [`Unpacked`]: as much of a body as was kept, without its coding.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, header};

/// The most that is unpacked, in bytes: pages are smaller, and what is not a page need not be compared with one.
pub(crate) const MOST: usize = 4 << 20;

/// As much of a body as was kept, without its coding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// What it says.
    pub content: Bytes,
    /// Whether this is all of it.
    pub is_whole: bool,
}

/// The coding of a body in lower case, as its head says; several, joined by commas. None: it is sent as it is.
pub(crate) fn coding(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    let all: Vec<String> =
        lines.map(|line| String::from_utf8_lossy(line.as_bytes().trim_ascii()).to_lowercase()).collect();
    Some(all.join(", ")).filter(|coding| !coding.is_empty() && coding != "identity")
}

impl Unpacked {
    /// Of a body, or its beginning. None: it is packed in another way than gzip.
    pub(crate) fn of(coding: Option<&str>, body: &Bytes, is_all: bool) -> Option<Self> {
        match coding {
            None => Some(Self { content: body.clone(), is_whole: is_all }),
            // An answer without a body may say that it is packed all the same.
            Some(_) if body.is_empty() => Some(Self { content: Bytes::new(), is_whole: is_all }),
            Some("gzip" | "x-gzip") => {
                let mut content = Vec::new();
                // What came before a mistake, or the end of what was kept, stays in it.
                let read = MultiGzDecoder::new(&body[..]).take(MOST as u64 + 1).read_to_end(&mut content);
                let is_whole = is_all && read.is_ok() && content.len() <= MOST;
                content.truncate(MOST);
                Some(Self { content: content.into(), is_whole })
            }
            Some(_) => None,
        }
    }
}
