//! The principal type is [`ConfigProblem`]: what can be wrong with a configuration alone.

/// What can be wrong with a configuration alone, and not with any file of TOML.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigProblem {
    /// A name or an address that was given before.
    #[error("{what} `{name}` is already used in line {line}: {instead}")]
    Twice {
        /// Of what.
        what: &'static str,
        /// The name.
        name: String,
        /// Where it was given first, counted from 1.
        line: usize,
        /// What to do.
        instead: &'static str,
    },
    /// Two values that contradict each other.
    #[error("`{key}` is {value}, and `{other}` is {other_value}: {why}")]
    Contradiction {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The other key.
        other: String,
        /// Its value.
        other_value: String,
        /// Why not both, and what to do.
        why: &'static str,
    },
    /// What is said by another key.
    #[error("{what}")]
    Elsewhere {
        /// What, and by which.
        what: &'static str,
    },
}
