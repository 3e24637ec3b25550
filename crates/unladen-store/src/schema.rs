//! The tables of a store, the same in both databases: `schema/N.sql` upgrades from version N - 1 to version N.

/// Each upgrades a store to the version of its place, counted from 1.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("../schema/1.sql")];

/// The database's words for placeholders in the migrations.
pub(crate) struct Words {
    pub(crate) id: &'static str,
    pub(crate) integer: &'static str,
    pub(crate) boolean: &'static str,
    /// Sorted by bytes, as ranges of commits need it.
    pub(crate) text: &'static str,
    pub(crate) bytes: &'static str,
    /// At the end of a table.
    pub(crate) strict: &'static str,
}

impl Words {
    pub(crate) fn put_into(&self, migration: &str) -> String {
        let words = [
            ("{id}", self.id),
            ("{integer}", self.integer),
            ("{boolean}", self.boolean),
            ("{text}", self.text),
            ("{bytes}", self.bytes),
            ("{strict}", self.strict),
        ];
        words.iter().fold(migration.to_owned(), |sql, (place, word)| sql.replace(place, word))
    }
}

/// The version that these migrations lead to.
pub(crate) fn version(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Migrations that a store of this version lacks, each with the version it leads to.
pub(crate) fn missing<'a>(migrations: &'a [&'a str], version: i64) -> impl Iterator<Item = (i64, &'a str)> {
    (1..).zip(migrations.iter().copied()).filter(move |(leads_to, _)| *leads_to > version)
}
