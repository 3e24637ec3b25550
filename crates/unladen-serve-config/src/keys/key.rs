//! The principal type is [`Key`]: one thing that a configuration can say, and [`key`], which makes one.

/// A key of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The table where it stands; empty: the top level. `pool` and the like are below `[[outbound]]`, below `[[site]]`
    /// and below `[defaults]`; `site.limits` and the like are of those below `[[site]]` whose default is another.
    pub table: &'static str,
    pub name: &'static str,
    /// How its value is written.
    pub form: &'static str,
    pub about: &'static str,
    /// Why its default is what it is; empty: there is none, it has to be given.
    pub why: &'static str,
}

/// A key, in one line where it fits.
pub(super) const fn key(
    table: &'static str,
    name: &'static str,
    form: &'static str,
    about: &'static str,
    why: &'static str,
) -> Key {
    Key { table, name, form, about, why }
}

pub(super) const DURATION: &str = "duration";
pub(super) const BYTES: &str = "bytes";
pub(super) const NUMBER: &str = "number";
pub(super) const SHARE: &str = "share";
pub(super) const FLAG: &str = "true or false";
pub(super) const TEXT: &str = "string";
pub(super) const FILE: &str = "file";
pub(super) const LIST: &str = "list of strings";
