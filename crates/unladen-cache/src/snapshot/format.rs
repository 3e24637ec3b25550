//! [`FORMAT`]: which bytes mean what.

/// The version of the format. To be raised when that changes; and when this program becomes stricter about what may be
/// stored, so that what its predecessors let in is not served by it.
pub(super) const FORMAT: u32 = 1;
