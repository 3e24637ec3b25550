//! Counts, logs and traces of requests, and access to them. The input is a [`RequestAccount`] of each completed
//! request, whatever carried it. The principal type is [`Observability`].
//!
//! Each thread that carries requests has a [`ThreadSeeing`]. Those threads share nothing: readers add up their counts.
//! Slow work (writing lines, sending spans) happens elsewhere, behind bounded queues; what does not fit is dropped and
//! counted.

mod access_log;
pub mod admin;
mod cause;
mod exemplar;
mod families;
mod hex;
mod histogram;
mod history;
mod log_fields;
mod metrics;
mod metrics_snapshot;
mod misses;
mod observability;
mod otlp;
mod page;
mod peers;
mod prometheus;
mod pulse;
mod pulses;
mod random;
mod readiness;
mod reason;
mod request_account;
mod settings;
mod site_counts;
mod sites;
mod stats;
mod thread;
mod tier_counts;
pub mod trace_context;
mod troubles;
mod upstreams;
mod wall;

pub use access_log::try_access_log;
pub use cause::{Cause, OUT_OF_FILES, reason_of};
pub use histogram::HistogramTotals;
pub use log_fields::{Addresses, LogField, LogFields};
pub use metrics_snapshot::{ClientMemory, ClientMemoryState, RateServiceState, RateServiceView};
pub use observability::{Observability, UpstreamIndex};
pub use peers::{PeerAddress, PeerAddressError};
pub use pulse::Pulse;
pub use random::request_id;
pub use reason::Reason;
pub use request_account::{CacheResult, End, FetchRecord, RequestAccount, Reuse, Trace, Version};
pub use settings::{LogSettings, ObservabilitySettings, OtlpSettings, ReadyCheck, config_document};
pub use sites::{
    BufferState, CertificateState, Forget, OrderState, PageAddress, QueueState, SiteState, SiteView, SnapshotState,
    StoreState, What, WrittenSnapshot,
};
pub use thread::ThreadSeeing;
pub use tier_counts::{Answering, Asked, TierCounts, TierState};
pub use troubles::Trouble;
pub use upstreams::UpstreamView;
