//! The usual settings of well-known applications. [`PRESETS`] is their one list: configuration, `--init`, the command
//! line and docs/reference/presets/ are made of it; each [`Preset`] has its own file.

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

/// All presets.
pub static PRESETS: [&Preset; 6] = [
    &wordpress::WORDPRESS,
    &mediawiki::MEDIAWIKI,
    &dokuwiki::DOKUWIKI,
    &sympa::SYMPA,
    &drupal::DRUPAL,
    &laravel::LARAVEL,
];

/// The preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().copied().find(|preset| preset.name == name)
}

/// The presets' names, for error messages.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

#[cfg(test)]
mod tests;
