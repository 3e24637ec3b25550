-- 200 pledges and 20,000 signers, the same ones each time: numbers that share no factor with an array's length walk
-- through all of it. A few pledges are popular and most are not: pledge n has about 1/n of the first one's signers.

create temporary table word (kind text, list text[]);
insert into word values
('given', '{Ada,Bea,Chidi,Dilys,Emrys,Farah,Gwen,Hiro,Ines,Jonas,Kavita,Leona,Marek,Nadia,Owen,Priya,Quentin,Rosa,Samir,Tessa,Umar,Vera,Wim,Xenia,Yusuf,Zoe,Angharad,Bartholomew,Catrin}'),
('family', '{Adeyemi,Brown,Clarke,Davies,Evans,Ferreira,Green,Hughes,Ivanova,Jones,Kaur,Lewis,Morgan,Novak,O''Brien,Patel,Quinn,Roberts,Singh,Taylor,Usman,Vaughan,Williams,Xu,Young,Zimmermann,Achterberg,Beaumont,Carmichael,Delacroix,Eastwood}'),
('deed', '{plant a tree in my street,give blood four times this year,leave the car at home every Friday,teach one neighbour to use the library computers,mend instead of buying new clothes for a year,cook for the night shelter once a month,write to my councillor about safer crossings,clean a stretch of the canal,learn enough sign language for a chat,switch off the lights in empty rooms at work,read to children at the school,lend out my tools}'),
('slug', '{tree,blood,friday,library,mend,shelter,crossing,canal,signs,lights,reading,tools}'),
('type', '{other people,local residents,colleagues,students,neighbours}'),
('reason', '{It costs an hour and it lasts for years.,I have meant to do this for a long time and never did it alone.,Small things add up when enough of us do them on the same day.,The council says that it will help if there is enough interest.,My grandmother did it all her life & thought nothing of it.,We tried last spring with far too few of us; this time let us be sure first.,You need no experience at all: we will show you how on the day.}'),
('place', '{Aberystwyth,Bristol,Cambridge,Dundee,Exeter,Falmouth,Glasgow,Hebden Bridge,Ipswich,Jarrow,Kendal}');
create function pg_temp.pick(which text, n bigint) returns text language sql as
    $$ select list[1 + n % array_length(list, 1)] from word where kind = which $$;

insert into pledge (ref, title, target, type, signup, detail, name, deadline, created, changed)
select pg_temp.pick('slug', n) || case when n < 12 then '' else (n / 12)::text end,
    pg_temp.pick('deed', n),
    (array[10, 25, 50, 100, 250])[1 + n % 5],
    pg_temp.pick('type', n / 3),
    case when n % 4 = 0 then 'will do the same in ' || pg_temp.pick('place', n * 7) else 'will do the same' end,
    (select string_agg(pg_temp.pick('reason', n * 5 + k * 3), ' ' order by k) from generate_series(0, 2 + n % 4) k),
    pg_temp.pick('given', n * 11) || ' ' || pg_temp.pick('family', n * 17),
    date '2030-03-01' + (n * 3)::integer,
    timestamptz '2025-01-01 09:00:00+00' + n * interval '19 hours',
    timestamptz '2025-01-01 09:00:00+00' + n * interval '19 hours'
from generate_series(0, 199) n;

-- 20,000 / ln(200) / n, rounded: the last ones top up to the exact number.
with share as (select id, (3403.0 / id)::integer as signers from pledge),
     spread as (select id, k from share, generate_series(1, signers) k),
     numbered as (select id, k, row_number() over (order by id, k) as n from spread)
insert into signer (pledge_id, name, showname, signed)
select case when n <= 20000 then id end, pg_temp.pick('given', n * 13 + id) || ' ' || pg_temp.pick('family', n * 23 + k), n % 9 <> 0,
    timestamptz '2025-07-01 08:00:00+00' + id * interval '1 hour' + k * interval '17 minutes'
from numbered where n <= 20000;
insert into signer (pledge_id, name, showname, signed)
select 1 + n % 200, pg_temp.pick('given', n * 13) || ' ' || pg_temp.pick('family', n * 23), n % 9 <> 0,
    timestamptz '2025-06-01 08:00:00+00' + n * interval '11 minutes'
from generate_series((select count(*) from signer), 19999) n;

update pledge set changed = greatest(changed, (select max(signed) from signer where pledge_id = pledge.id));

-- Last, so that the change times above are those of the story.
create trigger signer_changed after insert or update or delete on signer for each row execute function signer_changed();
