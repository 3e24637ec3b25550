//! The principal function is [`merge`]: several profiles as one.

use crate::profile::{Profile, Unit};

/// Profiles that cannot be one.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MergeError {
    /// They count different things.
    #[error("`{one}` counts {one_unit}, `{other}` counts {other_unit}: their sum would mean nothing", one_unit = one_unit.as_str(), other_unit = other_unit.as_str())]
    Units {
        /// The title of the first.
        one: String,
        /// What it counts.
        one_unit: Unit,
        /// The title of the one that differs.
        other: String,
        /// What that counts.
        other_unit: Unit,
    },
    /// Samples of different lengths, of which one is not known.
    #[error("samples of `{one}` and of `{other}` stand for different times, or nobody knows for which: their sum would mean nothing")]
    Periods {
        /// The title of the first.
        one: String,
        /// The title of the one that differs.
        other: String,
    },
    /// None at all.
    #[error("there is nothing to merge")]
    Nothing,
}

/// All clusters of all profiles. Samples of different known periods become ns.
///
/// # Errors
/// When the profiles count different things.
pub fn merge(profiles: &[Profile]) -> Result<Profile, MergeError> {
    let _ = profiles;
    todo!()
}
