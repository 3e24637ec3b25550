//! The supported kinds of applications, one file each.

mod asked;
pub(crate) mod composer;
pub(crate) mod dokuwiki;
mod drupal;
pub(crate) mod folders;
mod mediawiki;
pub(crate) mod path;
pub(crate) mod psr4;
mod reader;
mod settings_calls;
mod wordpress;

pub use reader::{Extensions, Options, Reader};

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
