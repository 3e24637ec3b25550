//! What ten thousand clients hold of a proxy's memory that have each asked once and wait.

use super::bound::judge_value;
use super::peer::{Peer, start};
use super::resident::resident;
use super::service::SMALL;
use super::world::World;
use crate::Result;
use crate::rig::callers::{Amount, Callers, Calls};

const CLIENTS: usize = 10_000;
/// So many of them ask at the same time.
const AT_ONCE: usize = 16;
/// MiB of resident memory.
const MOST_MIB: f64 = 150.0;

pub(super) fn run(world: &World) -> Result<()> {
    let [_, with] = resident(world, ["resident MiB with one client", "with 10,000"], once)?;
    judge_value("MiB with 10,000 idle clients", &world.peers, &with, MOST_MIB);
    Ok(())
}

fn once(world: &World, peer: &dyn Peer) -> Result<(f64, f64)> {
    let named = |error| format!("{}: {error}", peer.name());
    let route = world.route("one", world.service.plain)?;
    let listen = route.listen.clone();
    let running = start(peer, &world.plan(vec![route]), &world.scratch)?;
    let calls = |connections| Calls { path: SMALL.0, length: SMALL.1, connections, keep: true, ..Calls::default() };
    let mut one = Callers::start(&listen, &calls(1))?;
    one.call(Amount::Requests(1), 1).map_err(named)?;
    let empty = running.processes().resident_mib()?;
    drop(one);
    // Each of the connections has its turn once.
    let mut callers = Callers::start(&listen, &calls(CLIENTS))?;
    callers.call(Amount::Requests(CLIENTS as u64), AT_ONCE).map_err(named)?;
    Ok((empty, running.processes().resident_mib()?))
}
