-- The shape of PledgeBank: "I will do X, but only if N other people will too."

create table pledge (
    id serial primary key,
    ref text not null,              -- its name in URLs
    title text not null,            -- "I will …"
    target integer not null,        -- "… but only if TARGET …"
    type text not null,             -- "… other people …"
    signup text not null,           -- "… will do the same."
    detail text not null,
    name text not null,             -- who made it
    deadline date not null,
    created timestamptz not null,
    changed timestamptz not null    -- of the page: the pledge itself, or its signers
);
create unique index pledge_ref_idx on pledge (lower(ref));

create table signer (
    id serial primary key,
    pledge_id integer not null references pledge (id),
    name text not null,
    showname boolean not null default true,
    signed timestamptz not null default current_timestamp
);
create index signer_latest_idx on signer (pledge_id, signed desc);

-- Only the fault write-per-request-sql counts here.
create table view (
    pledge_id integer primary key references pledge (id),
    views bigint not null
);

create function signer_changed() returns trigger language plpgsql as $$
begin
    -- clock_timestamp, as two signers may come in one transaction; and never the same time twice, even where the clock is set back
    update pledge set changed = greatest(changed + interval '1 microsecond', clock_timestamp())
        where id = coalesce(new.pledge_id, old.pledge_id);
    return null;
end
$$;

-- The cheap question: what a cache in front asks.
create function pledge_last_change_time(integer) returns timestamptz language sql stable as
    $$ select changed from pledge where id = $1 $$;
