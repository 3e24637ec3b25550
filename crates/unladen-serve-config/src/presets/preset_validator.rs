//! The principal type is [`PresetValidator`]: a preset's validator, for each database that the application can have.

#[derive(Debug)]
pub(crate) struct PresetValidator {
    pub(crate) path: &'static str,
    pub(crate) asked: Asked,
}

/// What is asked, where the site sets its `database`.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A query for each kind of database; `None` if the application cannot use it, or the query would miss changes
    /// there.
    Query { mysql: Option<&'static str>, postgres: Option<&'static str>, sqlite: Option<&'static str> },
    /// The modification time of this file in the folder that `database` names.
    File(&'static str),
}
