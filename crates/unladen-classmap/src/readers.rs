//! The supported kinds of applications, one file each.

mod asked;
mod bundled;
pub(crate) mod composer;
mod constants;
pub(crate) mod dokuwiki;
mod drupal;
pub(crate) mod folders;
mod mediawiki;
mod options;
pub(crate) mod path;
pub(crate) mod psr4;
mod reader;
mod settings_calls;
mod wordpress;

pub use options::{Extensions, Options};
pub use reader::Reader;

/// All readers, the more specific first: the first that knows an application reads it.
pub const READERS: &[&dyn Reader] = &[
    &mediawiki::MediaWiki,
    &wordpress::WordPress,
    &dokuwiki::DokuWiki,
    &drupal::Drupal,
    &composer::Composer,
    &psr4::Psr4,
    &asked::AnswersOfLoaders,
    &folders::Folders,
];

#[cfg(test)]
mod tests;
