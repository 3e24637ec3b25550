//! A page from the cache that PostgreSQL has been asked about first: how many a second one processor does, the
//! database's part included.

use super::database::Database;
use super::hit::CONNECTIONS;
use super::page::Page;
use super::standing::{MEMORY, Standing};
use super::times::TIME;
use super::world::World;
use crate::Result;
use crate::figures::{Series, print};
use crate::rig::callers::{Amount, Calls};
use crate::rig::limit::Limit;

/// Requests of a second of one processor.
const LEAST: f64 = 5_000.0;

const PAGES: u64 = 2_000;
const LENGTH: u64 = 8_000;

pub(super) fn run(world: &World) -> Result<()> {
    let Some(database) = Database::start(world, PAGES)? else { return Ok(()) };
    let validator = format!(
        "\n[[site.validator]]\npath = \"/{{length}}/{{number}}\"\ndatabase = \"{}\"\nparameters = [\"number\"]\n\
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
                // The connections that the warm-up has had made are among them.
                let asked = || database.processes();
                let took = standing.measure(&calls, Amount::Time(TIME), Some(&asked))?;
                of_processor.push(took.requests / (took.cpu + took.others).as_secs_f64());
                by_clock.push(took.requests / took.wall.as_secs_f64());
                own_us.push(took.cpu.as_secs_f64() * 1e6 / took.requests);
                database_us.push(took.others.as_secs_f64() * 1e6 / took.requests);
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
