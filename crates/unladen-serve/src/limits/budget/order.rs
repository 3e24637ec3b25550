//! [`ORDER`]: how what is held is counted.

use std::sync::atomic::Ordering;

/// Of what is held: who lets go looks afterwards whether somebody waits, and who waits looks afterwards whether
/// something was let go. Where the one's look could pass its change, neither would see the other.
pub(super) const ORDER: Ordering = Ordering::SeqCst;
