//! What is kept, for the next process: [`SnapshotFile`](file::SnapshotFile) on disk, which a restart reads, and
//! [`Successor`](successor::Successor), the process that takes over.
//!
//! What the next process may do with a page that its predecessor kept:
//!
//! | it has | a handover | a clean stop | a crash |
//! |---|---|---|---|
//! | a version that a validator gave | the validator is asked, as ever | the same | the same |
//! | a lifetime, no tags, `trust = "fresh"` | as if nothing had happened | answers while it is fresh; age goes on by the clock | asked about |
//! | a lifetime, tags or `trust = "revalidate"` | as if nothing had happened | asked about | asked about |
//!
//! After a handover nothing is in doubt since purges are passed on
//! ([`Successor::forget`](successor::Successor::forget)). Purges are lost while no process runs; and of those before a
//! crash nobody knows which came after the last snapshot. A clock that was set back puts all in doubt.

pub(crate) mod account;
pub(crate) mod check;
pub(crate) mod file;
pub(crate) mod fingerprint;
pub(crate) mod give;
pub(crate) mod load;
pub(crate) mod pour;
pub(crate) mod remembered;
pub(crate) mod successor;
pub(crate) mod take;
pub(crate) mod wire;
pub(crate) mod write;

#[cfg(test)]
mod tests;
