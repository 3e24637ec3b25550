//! The principal type is [`Content`]: a body unpacked, as far as that can be done.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::header;

use crate::sample::Sample;

/// The largest body that is kept, and the largest that is unpacked, in bytes: pages are smaller, and what is not a page
/// need not be compared with one.
pub(crate) const MAX_CONTENT: usize = 4 << 20;

/// What a body says, whatever it is packed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// This.
    Text(Bytes),
    /// It is packed in another way than gzip.
    Packed,
    /// It is too long, or not what it says it is.
    Unknown,
}

impl Content {
    /// Of a sample with up to [`MAX_CONTENT`] bytes of its body.
    pub(crate) fn of(sample: &Sample) -> Self {
        let body = &sample.body_start;
        if (body.len() as u64) < sample.exchange.body_bytes {
            return Self::Unknown;
        }
        let mut codings = sample.headers.get_all(header::CONTENT_ENCODING).iter();
        match (codings.next().map(|coding| coding.as_bytes().trim_ascii().to_ascii_lowercase()), codings.next()) {
            (None, _) => Self::Text(body.clone()),
            (Some(coding), None) if coding.is_empty() || coding == b"identity" => Self::Text(body.clone()),
            (Some(coding), None) if coding == b"gzip" || coding == b"x-gzip" => unpack(body),
            _ => Self::Packed,
        }
    }
}

fn unpack(body: &[u8]) -> Content {
    // An answer without a body may say that it is packed all the same.
    if body.is_empty() {
        return Content::Text(Bytes::new());
    }
    let mut content = Vec::new();
    match MultiGzDecoder::new(body).take(MAX_CONTENT as u64 + 1).read_to_end(&mut content) {
        Ok(length) if length <= MAX_CONTENT => Content::Text(content.into()),
        _ => Content::Unknown,
    }
}
