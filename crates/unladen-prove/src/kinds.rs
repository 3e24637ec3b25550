//! The kinds of knobs. One file a [`Kind`], and one list, [`KINDS`], that drives the reader, its errors and the page
//! docs/reference/experiments.md.

mod command;
mod env;
mod file;
mod header;
mod makes;
mod patch;
mod url;

pub use self::command::CommandKnob;
pub use self::env::EnvKnob;
pub use self::file::FileKnob;
pub use self::header::HeaderKnob;
pub use self::makes::MakesKnob;
pub use self::patch::PatchKnob;
pub use self::url::UrlKnob;
pub use crate::read::Kind;

/// All kinds, in the order of the documentation.
pub const KINDS: [&Kind; 7] =
    [&command::KIND, &file::KIND, &makes::KIND, &env::KIND, &patch::KIND, &url::KIND, &header::KIND];
