//! [`LARAVEL`]: the usual settings of Laravel.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;

/// From Laravel's own documents: docs/reference/presets/laravel.md says what each is for.
pub(super) static LARAVEL: Preset = Preset {
    name: "laravel",
    title: "Laravel",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[],
    wrong_root: Some(("artisan", "public")),
};

const FRAGMENT: &str = include_str!("laravel.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);
