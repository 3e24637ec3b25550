//! SQL for PostgreSQL. All names are fixed, and variable parts are parameters: a fleet's name is a value in rows, so
//! that one set of grants serves all fleets.
//!
//! # Why no record is skipped
//! The ids of a sequence may be committed in another order than they were drawn, and a reader that has seen 7 would
//! never ask for a 6 committed later. So ids are counted in the fleet's own row: [`PUBLISH`] begins with an `update`,
//! which locks that row until its transaction has ended, and PostgreSQL makes a transaction visible before it releases
//! its locks. A writer that draws 7 has therefore waited until 6 was visible or rolled back, in which case it draws 6
//! itself. Ids have no gaps, and a snapshot that has one has all before it: a gap means that somebody removed rows.
//!
//! All of it is one statement, and so one transaction that no client can leave open: a node that is stopped in the
//! middle of it holds no lock.
//!
//! # Why an id alone is no position
//! After a restore, or a fail-over to a replica that was behind, ids are drawn again. The epoch shows most of that: it
//! has the cluster's identifier, its timeline, the table's object id and the random mark of the fleet's row. A restored
//! copy of the cluster's files changes none of these: so each record has a random mark as well, and the record that a
//! node has read or written last must still have its mark.
//!
//! The list of nodes has a mark, too: a row without a name, whose time is the start of the list. An emptied list has
//! lost it, and the next connection begins another.
//!
//! # Why a node that has joined misses nothing
//! A node that confirms gets the end from a statement after the one that put it into the list. Records with a greater
//! id became visible after that: their writer finds the node in the list.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Position;

/// Advisory lock of those that create the tables at the same time.
pub(super) const MAKING: i64 = 0x756e_6c61_6465_6e01;

pub(super) const THERE: &str = "select to_regclass('unladen_fleet.fleet') is not null \
    and to_regclass('unladen_fleet.record') is not null and to_regclass('unladen_fleet.member') is not null";

/// Creates the tables. Existence is checked first, since `create … if not exists` requires the right to create either
/// way.
pub(super) const MAKE: &str = "\
create schema if not exists unladen_fleet;
create table if not exists unladen_fleet.fleet (
    name text primary key, last bigint not null, mark bigint not null,
    made timestamptz not null default clock_timestamp());
create table if not exists unladen_fleet.record (
    fleet text not null, id bigint not null, mark bigint not null,
    written timestamptz not null default clock_timestamp(),
    body text not null check (octet_length(body) <= 20480), primary key (fleet, id));
create table if not exists unladen_fleet.member (
    fleet text not null, node text not null, position text not null, until timestamptz not null,
    primary key (fleet, node));";

/// Settings of a session: nothing waits for long, and a statement that has waited for a lock continues with the rows it
/// finds then.
pub(super) const SETTINGS: &str =
    "-c statement_timeout=2s -c lock_timeout=1s -c default_transaction_isolation=read\\ committed";

/// First statements of a session: commits reach the disk, and it listens for records. If [`SETTINGS`] are not in force,
/// a pooler has silently dropped them (`ignore_startup_parameters` of PgBouncer), and the session is shared, so that
/// this node may set nothing in it.
pub(super) const SESSION: &str = "\
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')
    and current_setting('statement_timeout') = '2s' and current_setting('lock_timeout') = '1s';
listen unladen_fleet";

/// First statement of a shared session: changes nothing for others but that it listens, which is needed where a pooler
/// lends it for longer than a transaction.
pub(super) const POOLED: &str = "listen unladen_fleet";

/// The channel of [`SESSION`]; its payload is the fleet's name.
pub(super) const CHANNEL: &str = "unladen_fleet";

/// Identifies this cluster and its timeline, as text. Some hosted services do not permit it.
pub(super) const CLUSTER: &str = "\
select to_hex((select system_identifier from pg_control_system())) || '.'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8)";

/// Parameters: fleet, mark. Inserts the fleet's row.
pub(super) const BEGIN: &str = "\
insert into unladen_fleet.fleet (name, last, mark)
select $1, coalesce((select max(id) from unladen_fleet.record where fleet = $1), 0), $2 on conflict do nothing";

/// Parameters: fleet, mark of the list of nodes. Inserts the mark's row, which counts as no node, as its time is over.
pub(super) const BEGIN_LIST: &str = "\
insert into unladen_fleet.member (fleet, node, position, until)
values ($1, '', to_hex($2), clock_timestamp()) on conflict do nothing";

/// Parameters: fleet, bodies, their marks, how many to keep, channel. Returns the last one's id, the fleet's mark, the
/// table's object id and the list's mark, if it exists.
pub(super) const PUBLISH: &str = "\
with counted as (
    update unladen_fleet.fleet set last = last + cardinality($2) where name = $1 returning last, mark),
put as (
    insert into unladen_fleet.record (fleet, id, mark, body)
    select $1, c.last - cardinality($2) + b.n, b.mark, b.body
    from counted c, unnest($2, $3) with ordinality as b (body, mark, n)),
trimmed as (delete from unladen_fleet.record where fleet = $1 and id <= (select last from counted) - $4)
select last, mark, 'unladen_fleet.record'::regclass::oid::bigint,
    (select position from unladen_fleet.member where fleet = $1 and node = ''), pg_notify($5, $1) from counted";

/// Parameters: fleet, id, mark (null if unknown), maximum. Returns the fleet's mark, the table's object id and the end;
/// whether all records after the id exist and the id's record is unchanged; the records after it, without oversized
/// bodies; for how many seconds server, fleet and list of nodes have all existed; and the list's mark.
pub(super) const READ: &str = "\
select f.mark, 'unladen_fleet.record'::regclass::oid::bigint, f.last, at.held, r.id, r.mark, r.body,
    extract(epoch from clock_timestamp() - greatest(pg_postmaster_start_time(), f.made, l.until))::float8, l.position
from unladen_fleet.fleet f left join unladen_fleet.member l on l.fleet = f.name and l.node = '' cross join lateral (
    select ($3 is null or exists (select from unladen_fleet.record where fleet = $1 and id = $2 and mark = $3))
        and (f.last = $2
            or f.last > $2 and exists (select from unladen_fleet.record where fleet = $1 and id = $2 + 1)) as held
) at left join lateral (
    select id, mark, case when octet_length(body) <= 20480 then body end as body from unladen_fleet.record
    where fleet = $1 and id > $2 and at.held order by id limit $4
) r on true where f.name = $1 order by r.id";

/// Parameters: fleet, node, position, seconds, id, mark or null. Puts the node into the list for this time from now on,
/// if the id's record is unchanged. Removes those whose lease ended long ago.
pub(super) const CONFIRM: &str = "\
with gone as (
    delete from unladen_fleet.member
    where fleet = $1 and node not in ($2, '') and until < clock_timestamp() - interval '10 minutes')
insert into unladen_fleet.member (fleet, node, position, until)
select $1, $2, $3, clock_timestamp() + $4 * interval '1 second'
where $6 is null or exists (select from unladen_fleet.record where fleet = $1 and id = $5 and mark = $6)
on conflict (fleet, node) do update set position = excluded.position, until = excluded.until
returning true";

/// Parameters: fleet, node, position, id, mark or null. Updates the position of a node in the list, if the id's record
/// is unchanged. Its lease stays as it is, so that a crash that undoes this does no harm: purges wait until the next
/// beat. So nobody waits for the disk.
pub(super) const TELL: &str = "\
with quick as materialized (select set_config('synchronous_commit', 'off', true))
update unladen_fleet.member m set position = $3 from quick
where m.fleet = $1 and m.node = $2 and m.until > clock_timestamp()
    and ($5 is null or exists (select from unladen_fleet.record where fleet = $1 and id = $4 and mark = $5))
returning true";

/// Parameter: fleet. Returns the end, the fleet's mark, the table's object id and the list's mark.
pub(super) const END: &str = "\
select last, mark, 'unladen_fleet.record'::regclass::oid::bigint,
    (select position from unladen_fleet.member where fleet = $1 and node = '') from unladen_fleet.fleet where name = $1";

/// Parameters: fleet, maximum. Returns the end, the fleet's mark, the table's object id, the list's mark, and its
/// nodes.
pub(super) const MEMBERS: &str = "\
select f.last, f.mark, 'unladen_fleet.record'::regclass::oid::bigint, l.position, m.node, m.position
from unladen_fleet.fleet f left join unladen_fleet.member l on l.fleet = f.name and l.node = ''
left join unladen_fleet.member m on m.fleet = f.name and m.node <> '' and m.until > clock_timestamp()
where f.name = $1 order by m.node limit $2";

pub(super) const LEAVE: &str = "delete from unladen_fleet.member where fleet = $1 and node = $2";

/// Maximum: more than a batch, so that the current position is included.
const MOST: usize = 2048;

/// Marks of recently read or written records, which show whether a position is unchanged.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    epoch: String,
    marks: VecDeque<(u64, i64)>,
}

impl Marks {
    pub(super) fn put(&self, epoch: &str, index: u64, mark: i64) {
        let mut known = self.known();
        if known.epoch != epoch {
            *known = Known { epoch: epoch.to_owned(), marks: VecDeque::new() };
        }
        // Written records are read later.
        if known.marks.iter().rev().any(|(other, _)| *other == index) {
            return;
        }
        if known.marks.len() == MOST {
            known.marks.pop_front();
        }
        known.marks.push_back((index, mark));
    }

    /// `None` if it is unknown, as after a start.
    pub(super) fn of(&self, position: &Position) -> Option<i64> {
        let known = self.known();
        if known.epoch != position.epoch() {
            return None;
        }
        known.marks.iter().rev().find(|(index, _)| *index == position.index()).map(|(_, mark)| *mark)
    }

    pub(super) fn forget(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
