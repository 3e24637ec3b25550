//! [`all`]: writes any number of runs in a few statements. With one statement for each run, each would wait for a
//! server that may be far away.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Transaction};

use crate::prepared::Prepared;

/// Bytes of contents in one statement, unless a single one has more.
const AT_ONCE: usize = 8 << 20;

/// Returns the numbers in the order of the runs.
pub(super) async fn all(transaction: &Transaction<'_>, runs: &[Prepared<'_>]) -> Result<Vec<i64>, Error> {
    let ids = columns(transaction, runs).await?;
    labels(transaction, &ids, runs).await?;
    let documents = ids.iter().zip(runs).map(|(id, run)| (*id, run.document.as_slice()));
    contents(transaction, "documents", documents).await?;
    let evidence = ids.iter().zip(runs).filter_map(|(id, run)| Some((*id, run.evidence.as_deref()?)));
    contents(transaction, "evidence", evidence).await?;
    Ok(ids)
}

async fn columns(transaction: &Transaction<'_>, runs: &[Prepared<'_>]) -> Result<Vec<i64>, Error> {
    // Rows are numbered in the order of the SELECT.
    let sql = "INSERT INTO runs (time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
               evidence_bytes, stored_bytes) \
               SELECT time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, evidence_bytes, \
               stored_bytes FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], \
               $7::text[], $8::boolean[], $9::bigint[], $10::bigint[], $11::bigint[]) WITH ORDINALITY AS new (time_ns, \
               verb, target, host, version, ended, commit_id, dirty, document_bytes, evidence_bytes, stored_bytes, \
               place) ORDER BY place RETURNING id";
    let values: [&(dyn ToSql + Sync); 11] = [
        &each(runs, |run| run.run.time_ns),
        &each(runs, |run| run.run.verb.as_str()),
        &each(runs, |run| run.run.target.as_str()),
        &each(runs, |run| run.run.host.as_str()),
        &each(runs, |run| run.run.version.as_str()),
        &each(runs, |run| run.run.ended.as_str()),
        &each(runs, |run| run.run.commit.as_deref()),
        &each(runs, |run| run.run.dirty),
        &each(runs, Prepared::document_bytes),
        &each(runs, Prepared::evidence_bytes),
        &each(runs, Prepared::stored_bytes),
    ];
    let rows = transaction.query(sql, &values).await?;
    let mut ids = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, Error>>()?;
    // Numbers grow with the rows, but the server may return them in any order.
    ids.sort_unstable();
    Ok(ids)
}

async fn labels(transaction: &Transaction<'_>, ids: &[i64], runs: &[Prepared<'_>]) -> Result<(), Error> {
    let (mut of, mut keys, mut values, mut times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (id, Prepared { run, .. }) in ids.iter().zip(runs) {
        for (key, value) in &run.labels {
            of.push(*id);
            keys.push(key.as_str());
            values.push(value.as_str());
            times.push(run.time_ns);
        }
    }
    if of.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO run_labels (run_id, key, value, time_ns) \
               SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])";
    transaction.execute(sql, &[&of, &keys, &values, &times]).await.map(drop)
}

async fn contents<'a>(
    transaction: &Transaction<'_>,
    table: &str,
    contents: impl Iterator<Item = (i64, &'a [u8])>,
) -> Result<(), Error> {
    let sql = format!("INSERT INTO {table} (run_id, content) SELECT * FROM unnest($1::bigint[], $2::bytea[])");
    let mut contents = contents.peekable();
    while contents.peek().is_some() {
        let (mut ids, mut some, mut bytes) = (Vec::new(), Vec::new(), 0);
        while let Some((id, content)) = contents.next_if(|(_, next)| ids.is_empty() || bytes + next.len() <= AT_ONCE) {
            ids.push(id);
            some.push(content);
            bytes += content.len();
        }
        transaction.execute(&sql, &[&ids, &some]).await?;
    }
    Ok(())
}

fn each<'a, T>(runs: &'a [Prepared<'a>], of: impl Fn(&'a Prepared<'a>) -> T) -> Vec<T> {
    runs.iter().map(of).collect()
}
