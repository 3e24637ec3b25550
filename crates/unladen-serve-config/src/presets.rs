//! The usual settings of well-known applications. [`PRESETS`] is the one list of them: configuration, `--init`, the
//! command line and docs/reference/presets/ are made of it; each entry is a [`Preset`], in a file of its own.

mod dokuwiki;
mod drupal;
mod laravel;
mod mediawiki;
mod preset;
mod preset_validator;
mod starter;
mod sympa;
mod wordpress;

pub use preset::Preset;
pub(crate) use preset_validator::{Asked, PresetValidator};
pub use starter::{STARTERS, Starter};

/// All of them.
pub static PRESETS: [&Preset; 6] = [
    &wordpress::WORDPRESS,
    &mediawiki::MEDIAWIKI,
    &dokuwiki::DOKUWIKI,
    &sympa::SYMPA,
    &drupal::DRUPAL,
    &laravel::LARAVEL,
];

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().copied().find(|preset| preset.name == name)
}

/// Their names, for who named none of them.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

#[cfg(test)]
mod tests;
