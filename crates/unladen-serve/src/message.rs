//! Messages on their way: heads composed and converted, bodies carried from source to sink, and the recipients.

pub(crate) mod compose;
pub(crate) mod convert;
pub(crate) mod downstream;
pub(crate) mod error_page;
pub(crate) mod local_reply;
pub(crate) mod spool;
pub(crate) mod stream;
