//! The principal type is [`ConfigProblem`]: what can be wrong with a configuration alone.

/// What can be wrong with a configuration alone, and not with any file of TOML.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigProblem {
    /// A name or an address that was given before.
    #[error("{what} `{name}` is already used in line {line}: {instead}")]
    Twice { what: &'static str, name: String, line: usize, instead: &'static str },
    #[error("`{key}` is {value}, and `{other}` is {other_value}: {why}")]
    Contradiction { key: String, value: String, other: String, other_value: String, why: &'static str },
    #[error("{what}")]
    Elsewhere { what: &'static str },
}
