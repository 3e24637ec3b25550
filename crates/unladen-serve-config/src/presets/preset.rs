//! The principal type is [`Preset`]: the usual settings of an application.

use std::sync::LazyLock;

use unladen_toml::{Document, Table};

use super::preset_validator::PresetValidator;

/// The usual settings of an application: they stand below a site's own, and above the built-in ones.
#[derive(Debug)]
pub struct Preset {
    /// The name in `preset = "…"`; its page is docs/reference/presets/NAME.md.
    pub name: &'static str,
    pub title: &'static str,
    /// The body of a `[[site]]`, as TOML.
    pub fragment: &'static str,
    pub(crate) document: &'static LazyLock<Document<'static>>,
    /// Validators, where the site sets its `database`.
    pub(crate) validators: &'static [PresetValidator],
    /// A file that is in the folder if `root` is one folder too high, and the folder that is meant.
    pub(crate) wrong_root: Option<(&'static str, &'static str)>,
}

impl Preset {
    pub(crate) fn table(&self) -> Table<'static> {
        let document: &'static Document<'static> = self.document;
        document.root()
    }
}
