//! [`DRUPAL`]: the usual settings of Drupal.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;

/// From Drupal's own documents: docs/reference/presets/drupal.md says what each is for.
pub(super) static DRUPAL: Preset = Preset {
    name: "drupal",
    title: "Drupal",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[],
    wrong_root: Some(("web/index.php", "web")),
};

const FRAGMENT: &str = include_str!("drupal.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);
