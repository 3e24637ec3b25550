//! Size limits. A store holds data from foreign servers, so nothing in it is unbounded.

/// Maximum size of a document: 64 MiB.
pub const DOCUMENT_BYTES: usize = 64 << 20;
/// Maximum size of evidence before compression: 256 MiB.
pub const EVIDENCE_BYTES: usize = 256 << 20;
/// Maximum labels of a run.
pub const LABELS: usize = 64;
/// Maximum size of a label's key, in bytes.
pub const LABEL_KEY_BYTES: usize = 64;
/// Maximum size of a label's value, in bytes: PostgreSQL's indexes take entries of at most 2,700 bytes.
pub const LABEL_VALUE_BYTES: usize = 256;
/// Maximum size of a target, in bytes.
pub const TARGET_BYTES: usize = 16 << 10;
/// Maximum runs on one page of a list.
pub const PAGE: u32 = 10_000;

/// Maximum size of verb, host, version, way to end and commit, in bytes.
pub(crate) const TEXT_BYTES: usize = 256;
