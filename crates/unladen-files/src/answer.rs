//! The principal type is [`FileAnswer`]: the answer to a GET or HEAD for a file.

use std::ops::Range;

use unladen_cache::{Coding, Multipart, Ranges, Time, Validators, Verdict, if_range, multipart, precondition, ranges};
use unladen_http1::{Fields, Request};

use crate::open_file::Meta;

/// A file to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Representation<'a> {
    /// Length and times of the file that is sent, which may be the precompressed one.
    pub meta: Meta,
    /// Bytes of the whole.
    pub length: u64,
    pub content_type: &'a str,
    pub coding: Option<(Coding, CodedBy)>,
    /// Whether other clients may get another coding.
    pub varies: bool,
    pub cache_control: Option<&'a str>,
}

/// Where a coded form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodedBy {
    /// A file of its own.
    File,
    /// Made from the file here: its bytes depend on the encoder.
    Server,
}

/// The answer to a GET or HEAD for a file.
#[derive(Clone, Debug)]
pub struct FileAnswer {
    /// 200, 206, 304, 412 or 416.
    pub status: u16,
    /// All but `Date` and `Content-Length`.
    pub fields: Fields,
    pub body: FileBody,
    /// Bytes of the body, even if a HEAD does not get it.
    pub length: u64,
}

/// The part of a file that is the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBody {
    None,
    Part(Range<u64>),
    Parts(Vec<Range<u64>>, Multipart),
}

impl FileAnswer {
    /// Applies the request's conditions and ranges (RFC 9110, sections 13.2.2 and 14.2).
    pub fn new(request: &Request, file: &Representation<'_>, now: Time) -> Self {
        let etag = match file.coding {
            None => entity_tag(&file.meta, None, now),
            Some((coding, CodedBy::File)) => entity_tag(&file.meta, Some(coding), now),
            Some((_, CodedBy::Server)) => weak(entity_tag(&file.meta, None, now)),
        };
        let modified = file.meta.last_modified(now);
        let validators =
            Validators { etag: Some(etag.as_bytes().into()), modified: Some(whole_seconds(modified)), date: Some(now) };
        let length = file.length;
        let range = request.fields.find(b"range").filter(|_| request.method == b"GET");
        let wanted = match precondition(request, &validators, now) {
            Verdict::NotModified => return Self::empty(304, file.fields(&etag, modified, false)),
            Verdict::Failed => return Self::empty(412, Fields::default()),
            Verdict::Proceed => match range {
                Some(range) if if_range(request, &validators) => ranges(range, length),
                _ => Ranges::Whole,
            },
        };
        let mut fields = file.fields(&etag, modified, true);
        match wanted {
            Ranges::Whole => Self { status: 200, fields, body: FileBody::Part(0..length), length },
            Ranges::Unsatisfiable => {
                let mut fields = Fields::default();
                fields.push(b"content-range", format!("bytes */{length}").as_bytes());
                Self::empty(416, fields)
            }
            Ranges::Some(parts) => match parts.as_slice() {
                [one] => {
                    let told = format!("bytes {}-{}/{length}", one.start, one.end.saturating_sub(1));
                    fields.push(b"content-range", told.as_bytes());
                    let length = one.end - one.start;
                    Self { status: 206, fields, body: FileBody::Part(one.clone()), length }
                }
                several => {
                    let boundary = format!("{:032x}", fastrand::u128(..));
                    let framed = multipart(several, length, Some(file.content_type.as_bytes()), &boundary);
                    let kind = format!("multipart/byteranges; boundary={boundary}");
                    fields.set(b"content-type", kind.as_bytes());
                    let length = framed.length;
                    Self { status: 206, fields, body: FileBody::Parts(parts, framed), length }
                }
            },
        }
    }

    fn empty(status: u16, fields: Fields) -> Self {
        Self { status, fields, body: FileBody::None, length: 0 }
    }
}

impl Representation<'_> {
    /// `of_body`: includes fields about the body, which a 304 does not have (RFC 9110, section 15.4.5).
    fn fields(&self, etag: &str, modified: Time, of_body: bool) -> Fields {
        let mut fields = Fields::default();
        fields.push(b"etag", etag.as_bytes());
        fields.push(b"last-modified", modified.http_date().as_bytes());
        if let Some(control) = self.cache_control {
            fields.push(b"cache-control", control.as_bytes());
        }
        if self.varies {
            fields.push(b"vary", b"accept-encoding");
        }
        if of_body {
            fields.push(b"content-type", self.content_type.as_bytes());
            if let Some((coding, _)) = self.coding {
                fields.push(b"content-encoding", coding.into_str().as_bytes());
            }
            // Ranges are served of files alone.
            if !matches!(self.coding, Some((_, CodedBy::Server))) {
                fields.push(b"accept-ranges", b"bytes");
            }
        }
        fields
    }
}

/// The precision of HTTP dates.
fn whole_seconds(time: Time) -> Time {
    Time(time.0 - time.0.rem_euclid(1000))
}

/// `"TIME-LENGTH"`: modification time in nanoseconds and length; with the coding, whose bytes differ. As with nginx and
/// Apache, a change that keeps both goes unnoticed.
///
/// It is weak while the file may still change without another modification time (RFC 9110, section 8.8.1), as with
/// Apache for files of the last second.
fn entity_tag(meta: &Meta, coding: Option<Coding>, now: Time) -> String {
    let weak = if meta.is_settling(now) { "W/" } else { "" };
    let (seconds, nanoseconds) = meta.modified;
    let time = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let (dash, coding) = coding.map_or(("", ""), |coding| ("-", coding.into_str()));
    format!("{weak}\"{time:x}-{:x}{dash}{coding}\"", meta.length)
}

/// The tag of other bytes with the same meaning (RFC 9110, section 8.8.1).
fn weak(tag: String) -> String {
    if tag.starts_with("W/") { tag } else { format!("W/{tag}") }
}

#[cfg(test)]
mod tests;
