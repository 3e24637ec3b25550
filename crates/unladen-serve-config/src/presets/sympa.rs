//! [`SYMPA`]: the usual settings of Sympa.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;

/// From Sympa's own documents: docs/reference/presets/sympa.md says what each is for.
pub(super) static SYMPA: Preset = Preset {
    name: "sympa",
    title: "Sympa",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[],
    wrong_root: None,
};

const FRAGMENT: &str = include_str!("sympa.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);
