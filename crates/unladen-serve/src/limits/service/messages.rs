//! The messages of `envoy.service.ratelimit.v3`, as far as a verdict needs them
//! (<https://github.com/envoyproxy/data-plane-api>, `envoy/service/ratelimit/v3/rls.proto`). Other fields are ignored,
//! as is usual for Protocol Buffers.

use std::time::Duration;

use prost::{Enumeration, Message};

/// Longest reset believed: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// Assumed if a service gives no time.
const UNTOLD: Duration = Duration::from_secs(1);

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitRequest {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) descriptors: Vec<Descriptor>,
    #[prost(uint32, tag = "3")]
    pub(crate) hits_addend: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Descriptor {
    #[prost(message, repeated, tag = "1")]
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitResponse {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) overall_code: i32,
    #[prost(message, repeated, tag = "2")]
    pub(crate) statuses: Vec<DescriptorStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DescriptorStatus {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) code: i32,
    #[prost(message, optional, tag = "4")]
    pub(crate) duration_until_reset: Option<Reset>,
}

/// `google.protobuf.Duration`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Reset {
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(crate) nanos: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(crate) enum Code {
    Unknown = 0,
    Ok = 1,
    OverLimit = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Within,
    /// Until there is room again.
    Over(Duration),
}

impl RateLimitResponse {
    /// `None` for `Unknown`.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match self.overall_code() {
            Code::Unknown => None,
            Code::Ok => Some(Verdict::Within),
            Code::OverLimit => {
                let over = self.statuses.iter().filter(|status| status.code() == Code::OverLimit);
                let resets = over.filter_map(|status| status.duration_until_reset.as_ref()?.duration());
                Some(Verdict::Over(resets.max().unwrap_or(UNTOLD).min(LONGEST)))
            }
        }
    }
}

impl Reset {
    /// `None` if negative or invalid.
    fn duration(&self) -> Option<Duration> {
        let nanos = u32::try_from(self.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
        Some(Duration::new(u64::try_from(self.seconds).ok()?, nanos))
    }
}
