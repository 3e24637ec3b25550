//! [`WORDPRESS`]: the usual settings of WordPress.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;
use super::preset_validator::{Asked, PresetValidator};

/// From WordPress's own documents: docs/reference/presets/wordpress.md says what each is for.
pub(super) static WORDPRESS: Preset = Preset {
    name: "wordpress",
    title: "WordPress",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[PresetValidator {
        path: "/{page*}",
        // Triggers count changes, since modification times miss deletions and the second of two changes in a second.
        // The hour covers what depends on the time, such as nonces of forms.
        asked: Asked::Query {
            mysql: Some("select concat(sum(n), '-', floor(unix_timestamp() / 3600)) from page_version"),
            postgres: None,
            sqlite: None,
        },
    }],
    wrong_root: None,
};

const FRAGMENT: &str = include_str!("wordpress.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);
