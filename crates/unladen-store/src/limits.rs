//! How large what is kept may be. A store holds what came from servers elsewhere: nothing in it is unbounded.

/// The largest document: 64 MiB.
pub const DOCUMENT_BYTES: usize = 64 << 20;
/// The largest evidence, before it is compressed: 256 MiB.
pub const EVIDENCE_BYTES: usize = 256 << 20;
/// The most labels of a run.
pub const LABELS: usize = 64;
/// The longest key of a label, in bytes.
pub const LABEL_KEY_BYTES: usize = 64;
/// The longest value of a label, in bytes: PostgreSQL's indexes take entries of at most 2,700 bytes.
pub const LABEL_VALUE_BYTES: usize = 256;
/// The longest target, in bytes.
pub const TARGET_BYTES: usize = 16 << 10;
/// The most runs that one page of a list has.
pub const PAGE: u32 = 10_000;

/// The longest verb, host, version, way to end and commit, in bytes.
pub(crate) const TEXT_BYTES: usize = 256;
