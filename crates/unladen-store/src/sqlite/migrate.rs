//! [`migrate`]: upgrades the tables of a file, completely or not at all.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::told::Told;
use crate::schema::{Words, missing, version};
use crate::store_error::StoreError;

/// `UNLD`, at byte 68 of the file, which identifies it to `file` and others.
pub(super) const APPLICATION: i64 = 0x554e_4c44;

const WORDS: Words = Words {
    // Numbers of removed runs are not reused.
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    integer: "INTEGER",
    boolean: "INTEGER",
    text: "TEXT",
    bytes: "BLOB",
    strict: " STRICT",
};

#[derive(Debug, PartialEq)]
pub(super) struct Found {
    /// Version of the tables; 0 if it is empty.
    pub(super) schema: i64,
}

/// Checks that the file is empty, or a known store.
pub(super) fn look(connection: &Connection, told: &Told, migrations: &[&str]) -> Result<Found, StoreError> {
    let number =
        |pragma: &str| -> rusqlite::Result<i64> { connection.pragma_query_value(None, pragma, |row| row.get(0)) };
    let said = |error| told.of(&error);
    let tables = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'";
    // In this order, a store that another process creates in between is seen as none, or as a whole one.
    let tables: i64 = connection.query_row(tables, [], |row| row.get(0)).map_err(said)?;
    let schema = number("user_version").map_err(said)?;
    let application = number("application_id").map_err(said)?;
    let store = || told.shown().to_owned();
    if application != APPLICATION && (tables > 0 || schema != 0 || application != 0) {
        return Err(StoreError::NotAStore { store: store(), what: "it is a database of another program".to_owned() });
    }
    let known = version(migrations);
    if schema > known {
        return Err(StoreError::Newer { store: store(), made_by: made_by(connection), schema, known });
    }
    Ok(Found { schema })
}

pub(super) fn migrate(connection: &mut Connection, told: &Told, migrations: &[&str]) -> Result<(), StoreError> {
    if look(connection, told, migrations)?.schema == version(migrations) {
        return Ok(());
    }
    let said = |error| told.of(&error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(said)?;
    // Another process may have been quicker.
    let schema = look(&transaction, told, migrations)?.schema;
    let brought = || {
        for (leads_to, migration) in missing(migrations, schema) {
            transaction.execute_batch(&WORDS.put_into(migration))?;
            let meta = "INSERT INTO store_meta (name, value) VALUES ('schema', ?1), ('made_by', ?2) \
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            transaction.execute(meta, (leads_to.to_string(), env!("CARGO_PKG_VERSION")))?;
            transaction.pragma_update(None, "user_version", leads_to)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)
    };
    brought().map_err(said)?;
    transaction.commit().map_err(said)
}

/// Version of Unladen that created the tables, in any form.
pub(super) fn made_by(connection: &Connection) -> String {
    let query = "SELECT substr(value, 1, 40) FROM store_meta WHERE name = 'made_by'";
    let said: rusqlite::Result<Option<String>> = connection.query_row(query, [], |row| row.get(0)).optional();
    said.ok().flatten().unwrap_or_else(|| "of an unknown version".to_owned())
}
