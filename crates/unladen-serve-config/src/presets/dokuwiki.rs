//! [`DOKUWIKI`]: the usual settings of DokuWiki.

use std::sync::LazyLock;

use unladen_toml::Document;

use super::preset::Preset;
use super::preset_validator::{Asked, PresetValidator};

/// From DokuWiki's own documents: docs/reference/presets/dokuwiki.md says what each is for.
pub(super) static DOKUWIKI: Preset = Preset {
    name: "dokuwiki",
    title: "DokuWiki",
    fragment: FRAGMENT,
    document: &DOCUMENT,
    validators: &[PresetValidator { path: "/{page*}", asked: Asked::File(CHANGES) }],
    wrong_root: None,
};

const FRAGMENT: &str = include_str!("dokuwiki.toml");
static DOCUMENT: LazyLock<Document<'static>> = LazyLock::new(|| Document::parse(FRAGMENT).0);

/// DokuWiki appends a line to it after each change of a page.
const CHANGES: &str = "meta/_dokuwiki.changes";
