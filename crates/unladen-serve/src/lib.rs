//! The proxy: listeners, and the life of a request.
#![forbid(unsafe_code)]

mod record;
mod seeing;
mod settings;

pub use record::{End, Reason, Record, Reuse, Trace, Version};
pub use seeing::*;
pub use settings::*;
