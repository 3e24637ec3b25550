//! What is said to PostgreSQL. All names are fixed, and what differs goes as parameters: a fleet's name is a value in
//! rows, so that one set of grants serves all fleets.
//!
//! # Why no record can be passed over
//! The ids of a sequence can be committed in another order than they were drawn, and a reader who has seen 7 would never
//! ask for a 6 that is committed later. So ids are counted in the fleet's own row: [`PUBLISH`] begins by `update`, which
//! takes that row's lock until its transaction has ended, and PostgreSQL makes a transaction visible before it gives up
//! its locks. Whoever draws 7 has therefore waited until 6 was visible or had never been, in which case it draws 6
//! itself. Ids are without gaps, and a snapshot that has one has all before it: a gap means that somebody removed rows.
//!
//! All of it is one statement, and so one transaction that no client can leave open: a node that is stopped in the
//! middle of it holds no lock.
//!
//! # Why an id alone is no position
//! After a restore, or a fail-over to a replica that had not got everything, ids are drawn again. The epoch tells most of
//! that: it has the cluster's identifier, its timeline, the table's object id and the random mark of the fleet's row. A
//! copy of the cluster's files that is put back changes none of these: so each record has a random mark as well, and
//! what a node has read or written last has to be there with its mark.
//!
//! The list of nodes has a mark, too: a row without a name, whose time is when the list began. A list that was emptied
//! has lost it, and the next connection begins another.
//!
//! # Why whoever has joined misses nothing
//! A node that confirms is told where the end is by a statement after the one that put it into the list. What has a
//! greater id was made visible after that: whoever published it finds the node in the list.

/// Tells apart who makes the tables at the same time.
pub(super) const MAKING: i64 = 0x756e_6c61_6465_6e01;

/// Whether they are there.
pub(super) const THERE: &str = "select to_regclass('unladen_fleet.fleet') is not null \
    and to_regclass('unladen_fleet.record') is not null and to_regclass('unladen_fleet.member') is not null";

/// Makes them. It is asked first whether they are there, since `create … if not exists` wants the right to create either
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

/// How a session begins: nothing waits for long, and a statement that has waited for a lock goes on with what it finds then.
pub(super) const SETTINGS: &str =
    "-c statement_timeout=2s -c lock_timeout=1s -c default_transaction_isolation=read\\ committed";

/// What is said first: what is committed is on disk, and this session hears of records. Where [`SETTINGS`] are not in
/// force, a pooler has left them out without a word (`ignore_startup_parameters` of PgBouncer), and the session is not
/// this node's to set anything in.
pub(super) const SESSION: &str = "\
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')
    and current_setting('statement_timeout') = '2s' and current_setting('lock_timeout') = '1s';
listen unladen_fleet";

/// What is said first to a session that others are lent, too: nothing of theirs changes but that it listens, which is
/// needed where a pooler lends it for longer than a transaction.
pub(super) const POOLED: &str = "listen unladen_fleet";

/// The channel of [`SESSION`]; its payload is the fleet's name.
pub(super) const CHANNEL: &str = "unladen_fleet";

/// What tells this cluster and its timeline from others, as text. Not all who offer PostgreSQL as a service let one ask.
pub(super) const CLUSTER: &str = "\
select to_hex((select system_identifier from pg_control_system())) || '.'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8)";

/// Fleet, mark: the fleet's row.
pub(super) const BEGIN: &str = "\
insert into unladen_fleet.fleet (name, last, mark)
select $1, coalesce((select max(id) from unladen_fleet.record where fleet = $1), 0), $2 on conflict do nothing";

/// Fleet, mark: the mark of the list of nodes. Whose time is over is no node.
pub(super) const BEGIN_LIST: &str = "\
insert into unladen_fleet.member (fleet, node, position, until)
values ($1, '', to_hex($2), clock_timestamp()) on conflict do nothing";

/// Fleet, bodies, their marks, how many to keep, channel: the last one's id, the fleet's mark, the table's object id and
/// the list's mark, if it is there.
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

/// Fleet, id, mark or null where it is not known, how many at most: the fleet's mark, the table's object id and the end;
/// whether all after the id is there and the id's record is what it was; what follows it, without a body that is longer
/// than any; since how many seconds the server runs, has the fleet and the list of nodes; and the list's mark.
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

/// Fleet, node, position, seconds, id, mark or null: it is in the list for so long from now on, if the id's record is what
/// it was. Who is out of the list for long is forgotten.
pub(super) const CONFIRM: &str = "\
with gone as (
    delete from unladen_fleet.member
    where fleet = $1 and node not in ($2, '') and until < clock_timestamp() - interval '10 minutes')
insert into unladen_fleet.member (fleet, node, position, until)
select $1, $2, $3, clock_timestamp() + $4 * interval '1 second'
where $6 is null or exists (select from unladen_fleet.record where fleet = $1 and id = $5 and mark = $6)
on conflict (fleet, node) do update set position = excluded.position, until = excluded.until
returning true";

/// Fleet, node, position, id, mark or null: a node that is in the list has this position, if the id's record is what it
/// was. Its lease stays as it is, so that nothing is wrong if a crash takes this back: whoever waits waits until the next
/// beat. So nobody waits for the disk.
pub(super) const TELL: &str = "\
with quick as materialized (select set_config('synchronous_commit', 'off', true))
update unladen_fleet.member m set position = $3 from quick
where m.fleet = $1 and m.node = $2 and m.until > clock_timestamp()
    and ($5 is null or exists (select from unladen_fleet.record where fleet = $1 and id = $4 and mark = $5))
returning true";

/// Fleet: where the end is, the fleet's mark, the table's object id and the list's mark.
pub(super) const END: &str = "\
select last, mark, 'unladen_fleet.record'::regclass::oid::bigint,
    (select position from unladen_fleet.member where fleet = $1 and node = '') from unladen_fleet.fleet where name = $1";

/// Fleet, how many at most: where the end is, the fleet's mark, the table's object id and the list's mark, and who is
/// in it.
pub(super) const MEMBERS: &str = "\
select f.last, f.mark, 'unladen_fleet.record'::regclass::oid::bigint, l.position, m.node, m.position
from unladen_fleet.fleet f left join unladen_fleet.member l on l.fleet = f.name and l.node = ''
left join unladen_fleet.member m on m.fleet = f.name and m.node <> '' and m.until > clock_timestamp()
where f.name = $1 order by m.node limit $2";

/// Fleet, node: it is in it no longer.
pub(super) const LEAVE: &str = "delete from unladen_fleet.member where fleet = $1 and node = $2";
