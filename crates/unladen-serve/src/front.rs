//! The principal type is [`FrontSettings`].

mod settings;

pub use settings::*;
