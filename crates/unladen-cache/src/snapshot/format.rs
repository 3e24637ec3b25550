//! [`FORMAT`]: the version of the snapshot format.

/// The format's version. To be raised when the format changes; and when storing becomes stricter, so that this program
/// does not serve what its predecessors let in.
pub(super) const FORMAT: u32 = 1;
