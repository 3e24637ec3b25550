//! The principal type is [`Emit`].

/// The forms of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Emit {
    /// The map with its loader.
    Php,
    /// For programs.
    Json,
    /// Composer's own optimised class map.
    Composer,
}
