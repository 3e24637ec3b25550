//! What a hundred upstreams hold of a proxy's memory, each with a listener of its own and TLS, when each has answered
//! once.

use super::bound::judge_value;
use super::peer::{Peer, start};
use super::resident::resident;
use super::service::SMALL;
use super::world::World;
use crate::Result;
use crate::rig::callers::{Amount, Callers, Calls};

const UPSTREAMS: usize = 100;
/// MiB of resident memory.
const MOST_MIB: f64 = 30.0;

pub(super) fn run(world: &World) -> Result<()> {
    let [configured, used] = resident(world, ["resident MiB, configured", "each asked once"], once)?;
    judge_value("MiB with 100 upstreams configured", &world.peers, &configured, MOST_MIB);
    judge_value("MiB with 100 upstreams asked once", &world.peers, &used, MOST_MIB);
    Ok(())
}

fn once(world: &World, peer: &dyn Peer) -> Result<(f64, f64)> {
    let named = |error| format!("{}: {error}", peer.name());
    let routes = (0..UPSTREAMS).map(|number| world.route(&format!("u{number}"), world.service.tls));
    let routes = routes.collect::<Result<Vec<_>>>()?;
    let listens: Vec<_> = routes.iter().map(|route| route.listen.clone()).collect();
    let running = start(peer, &world.plan(routes), &world.scratch)?;
    let ask = |listen| {
        let calls = Calls { path: SMALL.0, length: SMALL.1, connections: 1, keep: true, ..Calls::default() };
        Callers::start(listen, &calls)?.call(Amount::Requests(1), 1)
    };
    // It has come up when it has answered.
    ask(&listens[0]).map_err(named)?;
    let configured = running.processes().resident_mib()?;
    for listen in &listens {
        ask(listen).map_err(named)?;
    }
    Ok((configured, running.processes().resident_mib()?))
}
