//! The principal type is [`PresetValidator`]: the cheap question of a preset, for each database that the application
//! can have.

/// The cheap question of a preset.
#[derive(Debug)]
pub(crate) struct PresetValidator {
    /// The pages that it covers.
    pub(crate) path: &'static str,
    pub(crate) asked: Asked,
}

/// What is asked, where the site says its `database`.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A query, as each kind of database writes it; none: the application cannot have this one, or the query would miss
    /// changes there.
    Query {
        /// MariaDB and MySQL.
        mysql: Option<&'static str>,
        /// PostgreSQL.
        postgres: Option<&'static str>,
        sqlite: Option<&'static str>,
    },
    /// The modification time of this file in the folder that `database` names.
    File(&'static str),
}
