//! The principal type is [`Postgres`]: a store on a server.
//!
//! Its tables are those of SQLite (see `schema/`), in the schema `unladen`, so that others can share the database.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use self::link::{CONTENT, Link, QUICK, Repeat};
use self::session::Told;
use crate::database::{Columns, Database};
use crate::prepared::Prepared;
use crate::statement::{Dialect, Statement, Value};
use crate::store::Mode;
use crate::store_error::StoreError;

mod insert;
mod link;
mod migrate;
mod session;

const DIALECT: Dialect = Dialect { place_in: "strpos", labels: "json_object_agg(key, value)::text" };

#[derive(Debug)]
pub(crate) struct Postgres {
    link: Link,
    told: Told,
}

// === impl Postgres ===

impl Postgres {
    pub(crate) fn open(url: &str, shown: String, mode: Mode) -> Result<Self, StoreError> {
        let told = Told::new(shown);
        let mut link = Link::new(url, mode, told.clone())?;
        link.connect()?;
        Ok(Self { link, told })
    }

    fn rows<T: Send>(
        &mut self,
        statement: &Statement,
        read: impl Fn(&Row) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, StoreError> {
        self.link.run(QUICK, Repeat::Yes, async |client: &mut Client| {
            let rows = client.query(&statement.sql, &places(&statement.values)).await?;
            rows.iter().map(&read).collect()
        })
    }
}

impl Database for Postgres {
    fn shown(&self) -> &str {
        self.told.shown()
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn columns(&mut self, statement: &Statement) -> Result<Vec<Columns>, StoreError> {
        self.rows(statement, columns)
    }

    fn numbers(&mut self, statement: &Statement) -> Result<Vec<Option<i64>>, StoreError> {
        self.rows(statement, |row| row.try_get(0))
    }

    fn texts(&mut self, statement: &Statement) -> Result<Vec<(i64, Option<String>)>, StoreError> {
        self.rows(statement, |row| Ok((row.try_get(0)?, row.try_get(1)?)))
    }

    fn bytes(&mut self, Statement { sql, values }: &Statement) -> Result<Option<Vec<u8>>, StoreError> {
        self.link.run(CONTENT, Repeat::Yes, async |client: &mut Client| {
            client.query_opt(sql, &places(values)).await?.map(|row| row.try_get(0)).transpose()
        })
    }

    fn insert(&mut self, runs: &[Prepared<'_>]) -> Result<Vec<i64>, StoreError> {
        // Not repeated if the answer is lost: the runs might be there twice.
        self.link.run(CONTENT, Repeat::No, async |client: &mut Client| {
            let transaction = client.transaction().await?;
            let ids = insert::all(&transaction, runs).await?;
            transaction.commit().await?;
            Ok(ids)
        })
    }

    fn delete(&mut self, ids: &[i64]) -> Result<usize, StoreError> {
        // A repetition would find none to remove: the count would be wrong.
        let removed = self.link.run(QUICK, Repeat::No, async |client: &mut Client| {
            client.execute("DELETE FROM runs WHERE id = ANY($1)", &[&ids]).await
        })?;
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    fn delete_by(&mut self, Statement { sql, values }: &Statement) -> Result<Vec<i64>, StoreError> {
        self.link.run(QUICK, Repeat::No, async |client: &mut Client| {
            let rows = client.query(sql, &places(values)).await?;
            rows.iter().map(|row| row.try_get(0)).collect()
        })
    }
}

fn places(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    fn place(value: &Value) -> &(dyn ToSql + Sync) {
        match value {
            Value::Text(text) => text,
            Value::Integer(integer) => integer,
        }
    }
    values.iter().map(place).collect()
}

fn columns(row: &Row) -> Result<Columns, Error> {
    Ok(Columns {
        id: row.try_get(0)?,
        time_ns: row.try_get(1)?,
        verb: row.try_get(2)?,
        target: row.try_get(3)?,
        host: row.try_get(4)?,
        version: row.try_get(5)?,
        ended: row.try_get(6)?,
        commit: row.try_get(7)?,
        dirty: row.try_get(8)?,
        document_bytes: row.try_get(9)?,
        evidence_bytes: row.try_get(10)?,
        stored_bytes: row.try_get(11)?,
        labels: row.try_get(12)?,
    })
}
