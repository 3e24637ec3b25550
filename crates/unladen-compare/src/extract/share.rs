//! Shares of requests.

use crate::key::Key;
use crate::measured::Measured;

/// A share of requests, with the interval of Wilson (1927), for the count alone: all else that moves it is variation
/// between runs.
pub(super) fn share(key: Key, part: f64, of: u64) -> Option<(Key, Measured)> {
    const Z: f64 = 1.959_964;
    let n = of as f64;
    if of == 0 || !(0.0..=1.0).contains(&part) {
        return None;
    }
    let (middle, scale) = ((part + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n), Z / (1.0 + Z * Z / n));
    let half = scale * (part * (1.0 - part) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some((key, Measured::spanned(part, (middle - half).min(part), (middle + half).max(part))))
}
