//! A page from the cache that PostgreSQL has been asked about first: how many a second one processor does, the database's part
//! included.

use super::contestant::{MEMORY, Standing};
use super::database::Database;
use super::hit::CONNECTIONS;
use super::page::Page;
use super::{TIME, World};
use crate::Result;
use crate::figures::{Series, print};
use crate::proxy::bound::Limit;
use crate::proxy::callers::{Amount, Calls};

/// Requests of a second of one processor.
const LEAST: f64 = 5_000.0;

const PAGES: u64 = 2_000;
const LENGTH: u64 = 8_000;

pub(super) fn run(world: &World) -> Result<()> {
    let Some(database) = Database::start(world, PAGES)? else { return Ok(()) };
    let validator = format!(
        "\n[[front.validator]]\npath = \"/{{length}}/{{number}}\"\ndatabase = \"{}\"\nparameters = [\"number\"]\n\
         query = \"select extract(epoch from changed) from page where number = $1\"\n",
        database.url()
    );
    let page = |number| Page { length: LENGTH, number };
    for (what, pages) in
        [("many pages, in turn", (1..=PAGES).map(page).collect::<Vec<_>>()), ("one hot page", vec![page(1)])]
    {
        println!("\n  {what}");
        for contestant in world.contestants.iter().filter(|contestant| contestant.is_ours()) {
            let [mut of_processor, mut by_clock, mut own_us, mut database_us] = [(); 4].map(|()| Series::default());
            for _ in 0..world.rounds_or(5) {
                let more = validator.clone();
                let standing = Standing::start_with(world, &**contestant, MEMORY, None, more)?;
                standing.fill(&pages)?;
                let list = Some(world.list(&pages)?);
                let calls = Calls { list, connections: CONNECTIONS, keep: true, ..Calls::default() };
                let (own, asked) = (standing.processes(), database.processes());
                let before = (own.cpu()?, asked.cpu()?);
                let begun = standing.measure(&calls, Amount::Time(TIME), &[&asked])?;
                let after = (own.cpu()?, asked.cpu()?);
                of_processor.push(begun.requests / begun.cpu.as_secs_f64());
                by_clock.push(begun.requests / begun.wall.as_secs_f64());
                // With the warm-up: for how it is divided, it counts like the rest.
                let (own, asked) = ((after.0 - before.0).as_secs_f64(), (after.1 - before.1).as_secs_f64());
                let cpu_us = begun.cpu.as_secs_f64() * 1e6 / begun.requests;
                own_us.push(cpu_us * own / (own + asked));
                database_us.push(cpu_us * asked / (own + asked));
            }
            let row = vec![
                contestant.name(),
                of_processor.to_string(),
                by_clock.to_string(),
                own_us.to_string(),
                database_us.to_string(),
            ];
            print(&["", "requests of a CPU second", "by the clock", "CPU µs, own", "the database's"], &[row]);
            let what = format!("requests of a CPU second, {}", contestant.name());
            Limit::Least(LEAST).judge(&what, &of_processor);
        }
    }
    Ok(())
}
