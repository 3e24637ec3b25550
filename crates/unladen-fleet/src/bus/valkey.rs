//! Valkey and Redis (6.0 and later): a stream for records, a sorted set for the list of nodes.
//!
//! The principal type is [`Valkey`]. Keys of a fleet `shop`: `unladen:{shop}:about` (a hash: the token of this history,
//! its number of records, its start), `…:purges` (the stream; the n-th record has the id `n-0`, so that readers notice
//! gaps), `…:nodes` (names by the end of their lease, and a mark of this history) and `…:positions`.
//!
//! An epoch is the engine's run id, the beginning of its replication id, and the token. The run id changes on a restart
//! and on a replica that took over, the replication id on each promotion: either may have lost the last records. The
//! token changes after the keys were lost, or the list of nodes alone.

mod connection;
mod resp;

use std::path::Path;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;

use self::connection::{Connection, Place};
pub use self::connection::{ValkeyEngine, ValkeyPlace};
pub use self::resp::{Reply, resp_is_readable};
use crate::purge_bus::{Answer, BackEnd, Batch, MEMBERS, PurgeBus, Read};
use crate::{BusError, BusSettings, Member, Position};

pub(super) const BACK_END: BackEnd =
    BackEnd { schemes: &["valkey", "redis", "valkeys", "rediss"], name: "Valkey or Redis", open };

#[derive(Debug)]
struct Valkey {
    place: Place,
    keys: [String; 4],
    node: String,
    keep: String,
    reader: Mutex<Option<Connection>>,
    asker: Mutex<Option<Connection>>,
    batch: Batch,
    /// End of the last complete answer; `None` after any failure.
    whole: std::sync::Mutex<Option<Position>>,
}

/// Time limit of connecting, and of an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Index of the stream's key in [`Valkey::keys`].
const PURGES: usize = 1;

fn open(settings: &BusSettings) -> Result<Arc<dyn PurgeBus>, BusError> {
    let place = Place::new(&settings.url, settings.ca.as_deref().map(Path::new))?;
    // In braces: in a cluster, one node has all of them.
    let key = |what: &str| format!("unladen:{{{}}}:{what}", settings.fleet);
    Ok(Arc::new(Valkey {
        place,
        keys: [key("about"), key("purges"), key("nodes"), key("positions")],
        node: settings.node.clone(),
        keep: settings.keep.to_string(),
        reader: Mutex::default(),
        asker: Mutex::default(),
        batch: Batch::default(),
        whole: std::sync::Mutex::default(),
    }))
}

// === impl Valkey ===

impl Valkey {
    /// Sends one command on one of the connections, which is opened if needed, and dropped after a failure or a
    /// cancelled call.
    async fn ask(
        &self,
        at: &Mutex<Option<Connection>>,
        command: &[&[u8]],
        patience: Duration,
    ) -> Result<Told, BusError> {
        let mut slot = at.lock().await;
        let asked = async {
            let mut connection = match slot.take() {
                Some(connection) => connection,
                None => timeout(PATIENCE, Connection::open(&self.place)).await.map_err(|_| BusError::Timeout)??,
            };
            let reply = connection.ask(command).await?;
            let told = Told { reply, run: connection.run.clone(), whole_for: connection.whole_for() };
            // The connection's data about the engine is from its opening.
            if told.is_promoted(&connection.replication) {
                return Err(BusError::Unreachable("another server of its replication took over".to_owned()));
            }
            Ok((told, connection))
        };
        let (told, connection) = timeout(patience + PATIENCE, asked).await.map_err(|_| BusError::Timeout)??;
        // An engine that refused, as a replica would, is not asked again.
        if let Reply::Error(error) = &told.reply {
            return Err(self.place.refused(error));
        }
        *slot = Some(connection);
        Ok(told)
    }

    /// Runs a script with this fleet's keys and a token for the case that there is none.
    async fn script(
        &self,
        at: &Mutex<Option<Connection>>,
        script: &str,
        arguments: &[&[u8]],
    ) -> Result<Told, BusError> {
        let token = format!("{:016x}", fastrand::u64(..));
        let text = format!("{BEGINNING}{script}");
        let mut command: Vec<&[u8]> = vec![b"EVAL", text.as_bytes(), b"4"];
        command.extend(self.keys.iter().map(String::as_bytes));
        command.push(token.as_bytes());
        command.extend(arguments);
        self.ask(at, &command, PATIENCE).await
    }

    fn whole(&self) -> MutexGuard<'_, Option<Position>> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_now(&self, after: Option<&Position>) -> Result<Read, BusError> {
        let index = after.map_or(0, Position::index);
        let from = format!("{}-0", index.saturating_add(1));
        let size = self.batch.size().to_string();
        let arguments: [&[u8]; 2] = [from.as_bytes(), size.as_bytes()];
        let told = self.script(&self.reader, READ, &arguments).await?;
        let mut list = told.list()?.iter();
        let (token, count, age) = (list.next(), list.next(), list.next());
        let end = told.position(token, count)?;
        let age = Duration::from_secs(number(age)?);
        let whole_for = told.whole_for.min(age.saturating_sub(Duration::from_secs(1)));
        let lost = |why| Ok(Read::Lost { end: end.clone(), why, whole_for });
        let Some(after) = after else { return lost("it begins to read") };
        if after.epoch() != end.epoch() {
            return lost("the engine was restarted or emptied, or another one took over");
        }
        let mut records = Vec::new();
        let mut next = index;
        while let (Some(id), Some(record)) = (list.next(), list.next()) {
            next = next.saturating_add(1);
            if id.bytes()? != format!("{next}-0").as_bytes() {
                return lost("unread records are gone: the stream was trimmed");
            }
            let place = Position::new(end.epoch(), next).ok_or_else(|| wrong("the epoch"))?;
            records.push((place, record.bytes()?.to_vec()));
        }
        if records.is_empty() && end.index() != index {
            return lost("unread records are gone: the stream was emptied");
        }
        *self.whole() = (end.index() == next).then_some(end);
        Ok(Read::Records(records))
    }

    async fn wait(&self, after: &Position, wait: Duration) -> Result<(), BusError> {
        let block = wait.as_millis().max(1).to_string();
        let id = format!("{}-0", after.index());
        let command: [&[u8]; 8] = [
            b"XREAD",
            b"COUNT",
            b"1",
            b"BLOCK",
            block.as_bytes(),
            b"STREAMS",
            self.keys[PURGES].as_bytes(),
            id.as_bytes(),
        ];
        self.ask(&self.reader, &command, wait).await.map(drop)
    }
}

impl PurgeBus for Valkey {
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>> {
        Box::pin(async move {
            let mut arguments: Vec<&[u8]> = vec![self.keep.as_bytes()];
            arguments.extend(records.iter().map(|record| record.as_bytes()));
            let told = self.script(&self.asker, PUBLISH, &arguments).await?;
            let mut list = told.list()?.iter();
            let end = told.position(list.next(), list.next())?;
            let count = records.len() as u64;
            let first = end.index().checked_sub(count).ok_or_else(|| wrong("the count of records"))?;
            let place = |index| Position::new(end.epoch(), index).ok_or_else(|| wrong("the epoch"));
            (first + 1..=end.index()).map(place).collect()
        })
    }

    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read> {
        Box::pin(async move {
            // The last answer was complete: it waits first, by a command that also finds what has come since.
            let whole = self.whole().take();
            let is_whole = !wait.is_zero() && after.is_some() && whole.as_ref() == after;
            let mut read = Read::Records(Vec::new());
            if !is_whole {
                read = self.batch.judge(self.read_now(after).await)?;
            }
            if let (Some(after), Read::Records(records)) = (after, &read)
                && records.is_empty()
            {
                self.wait(after, wait).await?;
                read = self.batch.judge(self.read_now(Some(after)).await)?;
            }
            Ok(read)
        })
    }

    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position> {
        Box::pin(async move {
            let (position, lease) = (position.to_string(), lease.as_millis().to_string());
            let arguments = [self.node.as_bytes(), position.as_bytes(), lease.as_bytes()];
            let told = self.script(&self.asker, CONFIRM, &arguments).await?;
            let list = told.list()?;
            told.position(list.first(), list.get(1))
        })
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        Box::pin(async move {
            let most = MEMBERS.to_string();
            let told = self.script(&self.asker, LIST, &[most.as_bytes()]).await?;
            let mut members = Vec::new();
            let mut list = told.list()?.iter();
            let end = told.position(list.next(), list.next())?;
            while let (Some(node), Some(position)) = (list.next(), list.next()) {
                members.push(Member::new(text(node)?, text(position)?.parse()?)?);
            }
            Ok((end, members))
        })
    }

    fn leave(&self) -> Answer<'_, ()> {
        Box::pin(async move { self.script(&self.asker, LEAVE, &[self.node.as_bytes()]).await.map(drop) })
    }
}

struct Told {
    reply: Reply,
    run: String,
    whole_for: Duration,
}

impl Told {
    /// Whether the engine's replication differs from this. Only answers of scripts tell.
    fn is_promoted(&self, replication: &str) -> bool {
        let Reply::Array(list) = &self.reply else { return false };
        let Some(Reply::Bulk(token)) = list.first() else { return false };
        !token.starts_with(replication.as_bytes())
    }

    fn list(&self) -> Result<&[Reply], BusError> {
        match &self.reply {
            Reply::Array(list) => Ok(list),
            _ => Err(wrong("a list")),
        }
    }

    fn position(&self, token: Option<&Reply>, count: Option<&Reply>) -> Result<Position, BusError> {
        let token = token.ok_or_else(|| wrong("the token"))?.bytes()?;
        let token = std::str::from_utf8(token).map_err(|_| wrong("the token"))?;
        Position::new(&format!("{}.{token}", self.run), number(count)?).ok_or_else(|| wrong("the token"))
    }
}

fn text(reply: &Reply) -> Result<&str, BusError> {
    std::str::from_utf8(reply.bytes()?).map_err(|_| wrong("the list of nodes"))
}

fn number(reply: Option<&Reply>) -> Result<u64, BusError> {
    match reply {
        Some(Reply::Integer(number)) => u64::try_from(*number).map_err(|_| wrong("a number")),
        _ => Err(wrong("a number")),
    }
}

fn wrong(what: &str) -> BusError {
    BusError::Answer(format!("{what} is invalid"))
}

/// Scripts run atomically. Each gets the keys `about`, `purges`, `nodes` and `positions`, and as its first argument a token
/// for the case that there is none.
///
/// Prefix of each script: gets the token of this history, or begins one if it has none or an invalid count, or if the
/// list of nodes has lost its mark: an engine whose memory is full may have removed that key alone. The mark is no
/// valid name of a node, and never expires.
///
/// The returned token begins with the engine's replication id, which changes at each promotion: a server that was a
/// replica in between is the same process, with the same keys.
pub(crate) const BEGINNING: &str = r"
local function begin()
  local time = redis.call('TIME')
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'count', '0', 'began', time[1])
  redis.call('ZADD', KEYS[3], 'inf', '=' .. ARGV[1])
  return ARGV[1]
end
local replication = redis.call('INFO', 'replication')
if not string.find(replication, 'role:master', 1, true) then
  return redis.error_reply('READONLY this one is a replica')
end
local token = redis.call('HGET', KEYS[1], 'token')
local known = tonumber(redis.call('HGET', KEYS[1], 'count'))
local is_count = known and known >= 0 and known < 9007199254740992 and known % 1 == 0
if not token or not is_count or not redis.call('ZSCORE', KEYS[3], '=' .. token) then
  token = begin()
  known = 0
end
local told_token = string.sub(string.match(replication, 'master_replid:(%x+)') or '', 1, 16) .. '.' .. token
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
";

/// Appends records, and trims to `keep`. If the stream has foreign entries, or the key is no stream, a new history
/// begins.
pub(crate) const PUBLISH: &str = r"
local last = known
for i = 3, #ARGV do
  last = last + 1
  local id = string.format('%.0f', last) .. '-0'
  local added = redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], id, 'r', ARGV[i])
  if type(added) == 'table' and added.err then
    for _, of_others in ipairs({'equal or smaller', 'last possible ID', 'WRONGTYPE'}) do
      if string.find(added.err, of_others, 1, true) then begin() break end
    end
    return added
  end
  redis.call('HSET', KEYS[1], 'count', string.format('%.0f', last))
end
return {told_token, last}
";

/// Reads a number of records from an id. The content of oversized ones is left out: the reader knows that something was
/// there.
pub(crate) const READ: &str = r"
local began = tonumber(redis.call('HGET', KEYS[1], 'began')) or 0
local told = {told_token, known, math.max(0, math.floor(now() / 1000) - began)}
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[2], '+', 'COUNT', ARGV[3])) do
  local record = entry[2][2] or ''
  if #record > 20480 then record = '' end
  told[#told + 1] = entry[1]
  told[#told + 1] = record
end
return told
";

/// A node, its position and its lease in milliseconds. Removes those whose lease is over.
pub(crate) const CONFIRM: &str = r"
local time = now()
redis.call('ZADD', KEYS[3], string.format('%.0f', time + tonumber(ARGV[4])), ARGV[2])
redis.call('HSET', KEYS[4], ARGV[2], ARGV[3])
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', time), 'LIMIT', 0, 100)
for _, node in ipairs(over) do
  redis.call('ZREM', KEYS[3], node)
  redis.call('HDEL', KEYS[4], node)
end
return {told_token, known}
";

/// The end, and the nodes whose lease is not over, with their positions, up to a maximum.
pub(crate) const LIST: &str = r"
local told = {told_token, known}
local live = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. string.format('%.0f', now()), '+inf', 'LIMIT', 0, ARGV[2] + 1)
for _, node in ipairs(live) do
  if node ~= '=' .. token then
    told[#told + 1] = node
    told[#told + 1] = redis.call('HGET', KEYS[4], node) or ''
  end
end
return told
";

pub(crate) const LEAVE: &str = r"
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
return 1
";

#[cfg(test)]
mod tests;
