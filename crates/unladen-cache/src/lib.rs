//! An HTTP cache (RFC 9111) without I/O.
//!
//! Decisions are functions of headers and time, each in a file of its own: may a response be stored ([`storable`]), may
//! it be reused ([`reuse`]), is a client's own copy still good ([`precondition`]), which of several variants matches
//! ([`Nominated`]). The principal type is [`Store`]: responses within a bound of bytes; [`InFlightFetches`] makes one
//! request where many ask for the same.
#![forbid(unsafe_code)]

mod cache_status;
mod control;
mod cookies;
mod encoding;
mod fetch;
mod freshness;
mod invalidation;
mod key;
mod ordinary;
mod policy;
mod precondition;
mod purge;
mod range;
mod reuse;
mod snapshot;
mod storable;
mod store;
mod stored;
mod text;
mod time;
mod vary;

pub use cache_status::{CacheStatus, Forwarded};
pub use control::{MaxStale, RequestControl, ResponseControl};
pub use encoding::{Accepted, Coding, Encoder};
pub use fetch::{FetchReader, FetchWriter, InFlightFetch, InFlightFetches, Joined};
pub use freshness::{Freshness, is_passing_error};
pub use invalidation::{group_invalidations, invalidates, targets};
pub use key::{normalise_host, write_key};
pub use ordinary::{is_ordinary, is_usual};
pub use policy::{CookiePattern, Policy};
pub use precondition::{Validators, Verdict, if_range, precondition};
pub use purge::Purge;
pub use range::{Multipart, Ranges, multipart, ranges};
pub use reuse::{Reuse, WhyValidate, make_conditional, may_serve_on_error, reuse, update};
pub use snapshot::{
    END, ENTRY, FRAME_LENGTH, FrameHead, HEADER_LENGTH, SnapshotEntry, SnapshotError, SnapshotHeader, read_end,
    write_end,
};
pub use storable::{Asking, NoStore, kept, storable};
pub use store::{Mark, Resource, Restored, Store, StoreSettings, StoreTotals};
pub use stored::{Sequence, Stored, group_tag, is_of_304, tags_of};
pub use time::Time;
pub use vary::Nominated;

#[cfg(test)]
mod tests;
