//! One file a kind of knob.

mod command;
mod env;
mod file;
mod header;
mod patch;
mod url;

pub use self::command::CommandKnob;
pub use self::env::EnvKnob;
pub use self::file::FileKnob;
pub use self::header::HeaderKnob;
pub use self::patch::PatchKnob;
pub use self::url::UrlKnob;
