//! A load's parameters and results for transfer to another host: plain serde values. The principal type is
//! [`ConfigForm`].

mod config;
mod plan;
mod records;
mod request;
mod summary;
mod tls;

pub use config::ConfigForm;
pub use plan::PlanForm;
pub use records::{DamagedBatch, RecordBatch};
pub use request::RequestForm;
pub use summary::{BinnedLatencies, RecordSummary};
pub use tls::TlsForm;

#[cfg(test)]
mod tests;
