//! The principal type is [`Postgres`]: purges by a PostgreSQL table and `NOTIFY`. [`statements`] says why no record is
//! skipped.
//!
//! There are two connections, each opened when needed: one that listens for records, reads them and confirms, and one
//! that publishes, since publishers wait for each other. The server must be the primary; of several in the URL,
//! `target_session_attrs=read-write` finds it.

mod link;
mod statements;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio_postgres::Row;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::{FromSql, ToSql, Type};
use unladen_postgres::PostgresAddress;

use self::link::{Link, explain};
use self::statements::{CHANNEL, CONFIRM, END, LEAVE, MEMBERS, Marks, PUBLISH, READ, TELL};
use crate::purge_bus::{Answer, BackEnd, Batch, MEMBERS as MOST, PurgeBus, Read, Records};
use crate::{BusError, BusSettings, Member, Position};

pub(super) const BACK_END: BackEnd = BackEnd { schemes: &["postgres", "postgresql"], name: "PostgreSQL", open };

const CONNECT: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(2);
/// Interval of looks without notifications, as behind a transaction pooler.
const LOOK: Duration = Duration::from_secs(1);

struct Postgres {
    address: PostgresAddress,
    fleet: String,
    node: String,
    keep: i64,
    reading: Mutex<Option<Arc<Link>>>,
    writing: Mutex<Option<Arc<Link>>>,
    marks: Marks,
    batch: Batch,
    /// End of the last complete answer, and its connection: later records are notified there.
    whole: std::sync::Mutex<Option<(Weak<Link>, Position)>>,
    /// Consecutive records without a notification.
    untold: AtomicU32,
    told: AtomicU64,
}

fn open(settings: &BusSettings) -> Result<Arc<dyn PurgeBus>, BusError> {
    let address = match &settings.ca {
        Some(_) if settings.url.as_str().contains("sslrootcert=") => {
            return Err(BusError::Url("name the authority only once: `ca`, or `sslrootcert` in the URL".to_owned()));
        }
        Some(ca) => {
            let (joint, url) = (if settings.url.as_str().contains('?') { '&' } else { '?' }, settings.url.as_str());
            let file: String = url::form_urlencoded::byte_serialize(ca.as_os_str().as_encoded_bytes()).collect();
            PostgresAddress::parse(&format!("{url}{joint}sslrootcert={file}"))
        }
        None => PostgresAddress::parse(settings.url.as_str()),
    };
    let address = address.map_err(|error| BusError::Url(error.to_string()))?;
    // Without TLS, or where TLS is optional, it would verify nobody.
    if settings.ca.is_some() && matches!(address.config.get_ssl_mode(), SslMode::Disable | SslMode::Prefer) {
        let url = &settings.url;
        return Err(BusError::Url(format!("`{url}`: `ca` is for TLS: add `sslmode=verify-full` to the URL")));
    }
    Ok(Arc::new(Postgres {
        address,
        fleet: settings.fleet.clone(),
        node: settings.node.clone(),
        keep: i64::try_from(settings.keep).unwrap_or(i64::MAX).max(1),
        reading: Mutex::default(),
        writing: Mutex::default(),
        marks: Marks::default(),
        batch: Batch::default(),
        whole: std::sync::Mutex::default(),
        untold: AtomicU32::new(0),
        told: AtomicU64::new(0),
    }))
}

// === impl Postgres ===

impl Postgres {
    async fn link(&self, slot: &Mutex<Option<Arc<Link>>>) -> Result<Arc<Link>, BusError> {
        let mut slot = slot.lock().await;
        if let Some(link) = slot.as_ref().filter(|link| !link.is_over()) {
            return Ok(link.clone());
        }
        let made = tokio::time::timeout(CONNECT, Link::connect(&self.address, &self.fleet)).await;
        let link = Arc::new(made.map_err(|_| BusError::Timeout)??);
        *slot = Some(link.clone());
        Ok(link)
    }

    /// Queries; a connection that fails is not used again.
    async fn ask(
        &self,
        slot: &Mutex<Option<Arc<Link>>>,
        statement: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<(Arc<Link>, Vec<Row>), BusError> {
        let link = self.link(slot).await?;
        let rows = self.ask_by(&link, statement, parameters).await?;
        Ok((link, rows))
    }

    async fn ask_by(
        &self,
        link: &Link,
        statement: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, BusError> {
        match tokio::time::timeout(ANSWER, link.client.query_typed(statement, parameters)).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => {
                link.give_up();
                Err(explain(&error, &self.address.shown))
            }
            Err(_) => {
                link.give_up();
                Err(BusError::Timeout)
            }
        }
    }

    async fn write(&self, records: &[String]) -> Result<Vec<Position>, BusError> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let marks: Vec<i64> = records.iter().map(|_| fastrand::i64(..)).collect();
        let parameters: [(&(dyn ToSql + Sync), Type); 5] = [
            (&self.fleet, Type::TEXT),
            (&records, Type::TEXT_ARRAY),
            (&marks, Type::INT8_ARRAY),
            (&self.keep, Type::INT8),
            (&CHANNEL, Type::TEXT),
        ];
        let (link, rows) = self.ask(&self.writing, PUBLISH, &parameters).await?;
        let row = rows.first().ok_or_else(|| link.emptied())?;
        let (last, epoch) = (index(row, 0)?, link.epoch(column(row, 1)?, column(row, 2)?, column(row, 3)?)?);
        let first = last.checked_sub(records.len() as u64).ok_or_else(|| no_id(last))? + 1;
        // Later reads must find what it wrote.
        (first..).zip(&marks).for_each(|(index, mark)| self.marks.put(&epoch, index, *mark));
        (first..=last).map(|index| position(&epoch, index)).collect()
    }

    async fn read(&self, after: Option<&Position>) -> Result<(Arc<Link>, Read), BusError> {
        let (id, mark) = match after {
            Some(after) => (id_of(after), self.marks.of(after)),
            None => (-1, None),
        };
        let limit = self.batch.size() as i64;
        let parameters: [(&(dyn ToSql + Sync), Type); 4] =
            [(&self.fleet, Type::TEXT), (&id, Type::INT8), (&mark, Type::INT8), (&limit, Type::INT8)];
        let (link, rows) = self.ask(&self.reading, READ, &parameters).await?;
        let row = rows.first().ok_or_else(|| link.emptied())?;
        let (epoch, last) = (link.epoch(column(row, 0)?, column(row, 1)?, column(row, 8)?)?, index(row, 2)?);
        let uptime = Duration::try_from_secs_f64(column(row, 7)?).unwrap_or_default();
        let lost = |why, whole_for| {
            self.marks.forget();
            Ok(Read::Lost { end: position(&epoch, last)?, why, whole_for })
        };
        let read = match after {
            None => lost("it begins at the end", uptime),
            Some(after) if after.epoch() != epoch => lost("the tables or their server were replaced", Duration::ZERO),
            Some(_) if !column::<bool>(row, 3)? => {
                // Same epoch: its list of nodes is unchanged.
                lost("the record that was read last, or the one after it, is no longer in the table", uptime)
            }
            Some(after) => match self.records(&rows, &epoch, after.index())? {
                Some(records) => Ok(Read::Records(records)),
                None => lost("records are missing in the table", uptime),
            },
        };
        Ok((link, read?))
    }

    /// The connection that has read all up to this position and gets later notifications; `None` if it is another one.
    fn whole(&self, after: Option<&Position>) -> Option<Arc<Link>> {
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let (link, last) = whole.as_ref()?;
        link.upgrade().filter(|link| after == Some(last) && !link.is_over())
    }

    /// Counts a found record; `was_told` is whether it was notified, `None` if nobody waited.
    fn hears(&self, was_told: Option<bool>) {
        match was_told {
            Some(true) => {
                self.untold.store(0, Ordering::Relaxed);
                self.told.fetch_add(1, Ordering::Relaxed);
            }
            Some(false) => _ = self.untold.fetch_add(1, Ordering::Relaxed),
            None => {}
        }
    }

    fn records(&self, rows: &[Row], epoch: &str, after: u64) -> Result<Option<Records>, BusError> {
        let mut records = Vec::with_capacity(rows.len());
        for (row, expected) in rows.iter().zip(after + 1..) {
            let Some(id) = column::<Option<i64>>(row, 4)? else { break };
            if u64::try_from(id).ok() != Some(expected) {
                return Ok(None);
            }
            let body: Option<&str> = column(row, 6)?;
            self.marks.put(epoch, expected, column(row, 5)?);
            records.push((position(epoch, expected)?, body.unwrap_or_default().as_bytes().to_vec()));
        }
        Ok(Some(records))
    }

    async fn be(&self, at: &Position, lease: Duration) -> Result<Position, BusError> {
        let (id, mark) = (id_of(at), self.marks.of(at));
        let (text, seconds) = (at.to_string(), lease.as_secs_f64());
        let parameters: [(&(dyn ToSql + Sync), Type); 6] = [
            (&self.fleet, Type::TEXT),
            (&self.node, Type::TEXT),
            (&text, Type::TEXT),
            (&seconds, Type::FLOAT8),
            (&id, Type::INT8),
            (&mark, Type::INT8),
        ];
        // Both are sent at once, in this order: on one connection, the second begins when the first has ended.
        let link = self.link(&self.reading).await?;
        let (confirmed, end) =
            tokio::join!(biased; self.ask_by(&link, CONFIRM, &parameters), self.ask_by(&link, END, &parameters[..1]));
        if confirmed?.is_empty() {
            // The next query returns the end.
            link.give_up();
            return Err(BusError::Answer("the record that this node read last is no longer in the table".to_owned()));
        }
        let rows = end?;
        let row = rows.first().ok_or_else(|| link.emptied())?;
        position(&link.epoch(column(row, 1)?, column(row, 2)?, column(row, 3)?)?, index(row, 0)?)
    }
}

impl PurgeBus for Postgres {
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>> {
        Box::pin(self.write(records))
    }

    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read> {
        Box::pin(async move {
            let begun = Instant::now();
            // `None`: nothing has waited for a notification.
            let mut was_told = None;
            // The last answer was complete, and later records are notified: so it waits first.
            if let Some(link) = self.whole(after) {
                was_told = Some(link.wait(wait.min(LOOK)).await);
            }
            loop {
                let most = self.batch.size();
                let (link, read) = self.batch.judge(self.read(after).await)?;
                let left = wait.saturating_sub(begun.elapsed());
                match &read {
                    Read::Records(records) if records.is_empty() && !left.is_zero() => {
                        was_told = Some(link.wait(left.min(LOOK)).await);
                    }
                    Read::Records(records) => {
                        self.hears(was_told.filter(|_| !records.is_empty()));
                        let last = records.last().filter(|_| records.len() < most);
                        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) =
                            last.map(|(last, _)| (Arc::downgrade(&link), last.clone()));
                        return Ok(read);
                    }
                    Read::Lost { .. } => return Ok(read),
                }
            }
        })
    }

    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position> {
        Box::pin(self.be(position, lease))
    }

    fn tell<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Option<Position>> {
        Box::pin(async move {
            let (id, mark, text) = (id_of(position), self.marks.of(position), position.to_string());
            let parameters: [(&(dyn ToSql + Sync), Type); 5] = [
                (&self.fleet, Type::TEXT),
                (&self.node, Type::TEXT),
                (&text, Type::TEXT),
                (&id, Type::INT8),
                (&mark, Type::INT8),
            ];
            let (_, rows) = self.ask(&self.reading, TELL, &parameters).await?;
            // It has left the list, or its last record has changed.
            if rows.is_empty() { self.be(position, lease).await.map(Some) } else { Ok(None) }
        })
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        Box::pin(async move {
            let most = MOST as i64;
            let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&self.fleet, Type::TEXT), (&most, Type::INT8)];
            let (link, rows) = self.ask(&self.reading, MEMBERS, &parameters).await?;
            let row = rows.first().ok_or_else(|| link.emptied())?;
            let end = position(&link.epoch(column(row, 1)?, column(row, 2)?, column(row, 3)?)?, index(row, 0)?)?;
            let mut members = Vec::with_capacity(rows.len());
            for row in &rows {
                let (Some(node), Some(text)) = (column::<Option<&str>>(row, 4)?, column::<Option<&str>>(row, 5)?)
                else {
                    continue;
                };
                members.push(Member::new(node, text.parse()?)?);
            }
            Ok((end, members))
        })
    }

    fn untold(&self) -> u32 {
        self.untold.load(Ordering::Relaxed)
    }

    fn told(&self) -> Option<u64> {
        Some(self.told.load(Ordering::Relaxed))
    }

    fn leave<'a>(&'a self) -> Answer<'a, ()> {
        Box::pin(async move {
            let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&self.fleet, Type::TEXT), (&self.node, Type::TEXT)];
            self.ask(&self.reading, LEAVE, &parameters).await.map(drop)
        })
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { address, fleet, node, .. } = self;
        formatter
            .debug_struct("Postgres")
            .field("at", &address.shown)
            .field("fleet", fleet)
            .field("node", node)
            .finish_non_exhaustive()
    }
}

fn column<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T, BusError> {
    row.try_get(place).map_err(|_| BusError::Answer("the tables of unladen_fleet were altered".to_owned()))
}

/// The id plus one must be valid, too.
fn id_of(position: &Position) -> i64 {
    i64::try_from(position.index()).unwrap_or(i64::MAX).min(i64::MAX - 1)
}

fn index(row: &Row, place: usize) -> Result<u64, BusError> {
    let id: i64 = column(row, place)?;
    u64::try_from(id).map_err(|_| no_id(id))
}

fn no_id(id: impl std::fmt::Display) -> BusError {
    BusError::Answer(format!("{id} is not a record's id"))
}

fn position(epoch: &str, index: u64) -> Result<Position, BusError> {
    Position::new(epoch, index).ok_or_else(|| BusError::Answer(format!("{epoch:?} is not an epoch")))
}
