//! The principal type is [`Span`]: data of a sampled request until it is sent.

use std::time::{Duration, Instant};

use unladen_pool::Address;

use crate::method::Method;
use crate::{CacheResult, End, RequestAccount, Reuse, Trace, Version};

// Maximum bytes of text that peers choose.
const METHOD: usize = 64;
const TARGET: usize = 4096;
const REQUEST_ID: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) upstream: Box<str>,
    pub(super) endpoint: Option<Address>,
    pub(super) method: Method,
    /// As sent, if it is not a known one.
    pub(super) method_original: Option<Box<[u8]>>,
    pub(super) target: Box<[u8]>,
    pub(super) request_id: Box<[u8]>,
    pub(super) upstream_version: Option<Version>,
    pub(super) status: u16,
    pub(super) end: End,
    pub(super) reuse: Reuse,
    pub(super) attempts: u32,
    pub(super) began: Instant,
    pub(super) connected: Option<Duration>,
    pub(super) first_byte: Option<Duration>,
    pub(super) total: Duration,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) trace: Trace,
    pub(super) cache: Option<(CacheResult, &'static str)>,
}

impl Span {
    pub(super) fn of(record: &RequestAccount<'_>, trace: Trace) -> Self {
        let method = Method::of(record.method);
        Self {
            upstream: record.upstream.into(),
            endpoint: record.endpoint.cloned(),
            method,
            method_original: (method == Method::Other).then(|| cut(record.method, METHOD)),
            target: cut(record.target, TARGET),
            request_id: cut(record.request_id, REQUEST_ID),
            upstream_version: record.upstream_version,
            status: record.status,
            end: record.end,
            reuse: record.reuse,
            attempts: record.attempts,
            began: record.began,
            connected: record.connected,
            first_byte: record.first_byte,
            total: record.total,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            trace,
            cache: record.cache,
        }
    }
}

fn cut(bytes: &[u8], limit: usize) -> Box<[u8]> {
    bytes[..bytes.len().min(limit)].into()
}
