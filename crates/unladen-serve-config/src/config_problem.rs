//! The principal type is [`ConfigProblem`]: mistakes that only a configuration can have.

/// Mistakes that only a configuration can have, and not any TOML file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigProblem {
    #[error("{what} `{name}` is already used in line {line}: {instead}")]
    Twice { what: &'static str, name: String, line: usize, instead: &'static str },
    #[error("`{key}` is {value}, and `{other}` is {other_value}: {why}")]
    Contradiction { key: String, value: String, other: String, other_value: String, why: &'static str },
    #[error("{what}")]
    Elsewhere { what: &'static str },
}
