//! [`ORDER`]: memory order of the held counts.

use std::sync::atomic::Ordering;

/// Sequentially consistent: who releases checks for waiters afterwards, and who waits checks for releases afterwards.
/// If a check could pass the change, neither would see the other.
pub(super) const ORDER: Ordering = Ordering::SeqCst;
