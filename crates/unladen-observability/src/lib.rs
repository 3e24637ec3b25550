//! Counts, logs and traces of requests, and access to them. The input is a [`RequestAccount`] of each completed
//! request, whatever carried it. The principal type is [`Observability`].
//!
//! Each thread that carries requests has a [`ThreadSeeing`]. Those threads share nothing: readers add up their counts.
//! Slow work (writing lines, sending spans) happens elsewhere, behind bounded queues; what does not fit is dropped and
//! counted.

mod access_log;
pub mod admin;
mod cause;
mod certificate_state;
mod client_memory;
mod config_document;
mod exemplar;
mod families;
mod hex;
mod histogram;
mod history;
mod json;
mod log_fields;
mod method;
mod metrics;
mod metrics_snapshot;
mod misses;
mod observability;
mod otlp;
mod page;
mod peers;
mod process;
mod prometheus;
mod pulse;
mod pulses;
mod random;
mod rate_services;
mod readiness;
mod ready_check;
mod reason;
mod request_account;
mod request_id;
mod settings;
mod site_counts;
mod sites;
mod snapshot_state;
mod stats;
mod thread;
mod tier_counts;
pub mod trace_context;
mod troubles;
mod upstreams;
mod wall;
mod words;

pub use access_log::try_access_log;
pub use cause::{Cause, OUT_OF_FILES, reason_of};
pub use certificate_state::{CertificateState, OrderState};
pub use client_memory::{ClientMemory, ClientMemoryState};
pub use config_document::config_document;
pub use histogram::HistogramTotals;
pub use log_fields::{Addresses, LogField, LogFields};
pub use observability::{Observability, UpstreamIndex};
pub use peers::{PeerAddress, PeerAddressError};
pub use pulse::Pulse;
pub use rate_services::{RateServiceState, RateServiceView};
pub use ready_check::ReadyCheck;
pub use reason::Reason;
pub use request_account::{CacheResult, End, FetchRecord, RequestAccount, Reuse, Trace, Version};
pub use request_id::request_id;
pub use settings::{LogSettings, ObservabilitySettings, OtlpSettings};
pub use sites::{BufferState, Forget, PageAddress, QueueState, SiteState, SiteView, StoreState, What};
pub use snapshot_state::{SnapshotState, WrittenSnapshot};
pub use thread::ThreadSeeing;
pub use tier_counts::{Answering, Asked, TierCounts, TierState};
pub use troubles::Trouble;
pub use upstreams::UpstreamView;
