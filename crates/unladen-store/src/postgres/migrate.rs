//! [`migrate`]: creates or upgrades the tables, completely or not at all, by one writer at a time.

use tokio_postgres::{Client, Error, GenericClient};

use super::session::{SCHEMA, Told};
use crate::schema::{MIGRATIONS, Words, missing, version};
use crate::store::Mode;
use crate::store_error::StoreError;

/// `unladen` as a number: the advisory lock of whoever creates tables.
const LOCK: i64 = 0x75_6e6c_6164_656e;

const WORDS: Words = Words {
    id: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    integer: "bigint",
    boolean: "boolean",
    text: "text COLLATE \"C\"",
    bytes: "bytea",
    strict: "",
};

struct Found {
    /// Version of the tables; 0 if there are none.
    schema: i64,
    made_by: String,
}

/// Creates what is missing, or says why that is impossible.
pub(super) async fn migrate(client: &mut Client, mode: Mode, told: &Told) -> Result<(), StoreError> {
    let said = |error| told.of(&error);
    let known = version(MIGRATIONS);
    let found = look(client).await.map_err(said)?;
    let Found { schema, made_by } = found.check(told, known)?;
    let store = || told.shown().to_owned();
    match mode {
        Mode::ReadWrite if schema == known => writable(client, told).await,
        Mode::ReadOnly if schema == known => Ok(()),
        Mode::ReadOnly if schema == 0 => Err(StoreError::NoStore { store: store() }),
        Mode::ReadOnly => Err(StoreError::Older { store: store(), made_by, schema, known }),
        Mode::ReadWrite => {
            let transaction = client.transaction().await.map_err(said)?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(said)?;
            // Another process may have been quicker.
            let schema = look(&transaction).await.map_err(said)?.check(told, known)?.schema;
            utf8(&transaction, told).await?;
            for (leads_to, migration) in missing(MIGRATIONS, schema) {
                bring(&transaction, leads_to, migration).await.map_err(said)?;
            }
            transaction.commit().await.map_err(said)
        }
    }
}

/// Asks the server whether this user may keep or remove runs: minutes of measurement must not be lost to a missing
/// right.
async fn writable(client: &impl GenericClient, told: &Told) -> Result<(), StoreError> {
    let sql = "SELECT has_table_privilege($1::text, 'INSERT, DELETE'), pg_catalog.pg_is_in_recovery()";
    let said = |error| told.of(&error);
    let row = client.query_one(sql, &[&format!("{SCHEMA}.runs")]).await.map_err(said)?;
    let (is_permitted, is_replica): (bool, bool) = (row.try_get(0).map_err(said)?, row.try_get(1).map_err(said)?);
    let store = || told.shown().to_owned();
    if is_replica {
        return Err(StoreError::ReadOnly { store: store(), what: "the server is a replica".to_owned() });
    }
    if !is_permitted {
        let what = format!("this user may read {SCHEMA}.runs, but neither add to it nor remove from it");
        return Err(StoreError::Forbidden { store: store(), what });
    }
    Ok(())
}

async fn look(client: &impl GenericClient) -> Result<Found, Error> {
    let exists =
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'store_meta')";
    let exists: bool = client.query_one(exists, &[&SCHEMA]).await?.try_get(0)?;
    if !exists {
        return Ok(Found { schema: 0, made_by: String::new() });
    }
    // Qualified by the schema: users without access to it get that error, and not that of a missing table.
    let meta = &format!("SELECT name, substr(value, 1, 40) FROM {SCHEMA}.store_meta");
    let (mut schema, mut made_by) = (0, "of an unknown version".to_owned());
    for row in client.query(meta, &[]).await? {
        let (name, value): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        match name.as_str() {
            // Text that is not a number is from a version with another numbering.
            "schema" => schema = value.parse().unwrap_or(i64::MAX),
            "made_by" => made_by = value,
            _ => {}
        }
    }
    Ok(Found { schema, made_by })
}

/// A database with another encoding would refuse some targets.
async fn utf8(client: &impl GenericClient, told: &Told) -> Result<(), StoreError> {
    let row = client.query_one("SHOW server_encoding", &[]).await.map_err(|error| told.of(&error))?;
    let encoding: String = row.try_get(0).map_err(|error| told.of(&error))?;
    if encoding == "UTF8" {
        return Ok(());
    }
    let what = format!("the database's encoding is {encoding}: name one that was created with encoding 'UTF8'");
    Err(StoreError::Failed { store: told.shown().to_owned(), what })
}

async fn bring(client: &impl GenericClient, leads_to: i64, migration: &str) -> Result<(), Error> {
    // A user may have been given the schema, but not the right to create one.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1)";
    let exists: bool = client.query_one(exists, &[&SCHEMA]).await?.try_get(0)?;
    if !exists {
        client.batch_execute(&format!("CREATE SCHEMA {SCHEMA}")).await?;
    }
    client.batch_execute(&WORDS.put_into(migration)).await?;
    // The data is already compressed.
    for table in ["documents", "evidence"] {
        client.batch_execute(&format!("ALTER TABLE {table} ALTER COLUMN content SET STORAGE EXTERNAL")).await?;
    }
    let meta = "INSERT INTO store_meta (name, value) VALUES ('schema', $1), ('made_by', $2) \
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    client.execute(meta, &[&leads_to.to_string(), &env!("CARGO_PKG_VERSION")]).await.map(drop)
}

impl Found {
    fn check(self, told: &Told, known: i64) -> Result<Self, StoreError> {
        if self.schema <= known {
            return Ok(self);
        }
        let store = told.shown().to_owned();
        Err(StoreError::Newer { store, made_by: self.made_by, schema: self.schema, known })
    }
}
