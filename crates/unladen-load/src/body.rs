//! [`read`]: reads a response's body to its end and hashes it.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use xxhash_rust::xxh3::Xxh3Default;

use crate::body_text::BodyText;
use crate::digest::Digest;
use crate::failure::Failure;

/// Bytes of a body that are kept for display.
pub(crate) const KEPT: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct ReadBody {
    pub(crate) length: u64,
    pub(crate) digest: Digest,
    /// First bytes, as many as requested.
    pub(crate) start: Bytes,
    /// Whether it holds the expected text; true if there is none.
    pub(crate) has_text: bool,
}

/// Reads a body to its end, at most `limit` bytes of it, and keeps the first `keep`.
pub(crate) async fn read(
    mut body: Incoming,
    limit: u64,
    keep: usize,
    text: Option<&BodyText>,
) -> Result<ReadBody, Failure> {
    if let Some(length) = body.size_hint().exact().filter(|length| *length > limit) {
        return Err(Failure::BodyTooLarge { announced: Some(length) });
    }
    let mut length = 0;
    let mut kept = BytesMut::new();
    // Most pages come in one piece: hashed at once, without the 0.5 KiB of state that streaming needs.
    let mut whole: Option<Bytes> = None;
    let mut hash: Option<Box<Xxh3Default>> = None;
    let mut look = text.map(BodyText::look);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(Failure::Hyper)?.into_data() else { continue };
        length += data.len() as u64;
        if length > limit {
            return Err(Failure::BodyTooLarge { announced: None });
        }
        if kept.len() < keep {
            kept.extend_from_slice(&data[..data.len().min(keep - kept.len())]);
        }
        if let Some(look) = &mut look {
            look.through(&data);
        }
        match (&mut hash, whole.take()) {
            (Some(hash), _) => hash.update(&data),
            (None, None) => whole = Some(data),
            (None, Some(first)) => {
                let streaming = hash.insert(Box::default());
                streaming.update(&first);
                streaming.update(&data);
            }
        }
    }
    let digest = match hash {
        Some(hash) => Digest(hash.digest()),
        None => Digest::of(&whole.unwrap_or_default()),
    };
    Ok(ReadBody { length, digest, start: kept.freeze(), has_text: look.is_none_or(|look| look.found()) })
}
