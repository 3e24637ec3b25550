//! The principal type is [`Preset`]: the usual settings of an application.

use std::sync::LazyLock;

use unladen_toml::{Document, Table};

use super::preset_validator::PresetValidator;

/// The usual settings of an application: they stand below a site's own, and above the built-in ones.
#[derive(Debug)]
pub struct Preset {
    /// As `preset = "…"` names it; its page is docs/reference/presets/NAME.md.
    pub name: &'static str,
    /// The application, as it calls itself.
    pub title: &'static str,
    /// The body of a `[[site]]`, as TOML.
    pub fragment: &'static str,
    /// The same, read: once, when it is first used.
    pub(crate) document: &'static LazyLock<Document<'static>>,
    /// What tells whether a kept page is still current, where the site says its `database`.
    pub(crate) validators: &'static [PresetValidator],
    /// A file that is in the folder if `root` is one folder too high, and which folder is meant then.
    pub(crate) wrong_root: Option<(&'static str, &'static str)>,
}

impl Preset {
    /// What it says.
    pub(crate) fn table(&self) -> Table<'static> {
        let document: &'static Document<'static> = self.document;
        document.root()
    }
}
