//! The system calls of a request, as `strace -c` counts them: apart from what is timed, as a traced call takes many
//! times as long.

use super::peer::{Peer, start};
use super::route::Upstream;
use super::service::SMALL;
use super::world::World;
use crate::figures::{print, three};
use crate::rig::callers::{Amount, Callers, Calls};
use crate::rig::strace::counted;
use crate::{Result, peers};

const REQUESTS: u64 = 10_000;
/// So many kinds of calls are named.
const NAMED: usize = 6;

pub(super) fn run(world: &World) -> Result<()> {
    if !peers::has("strace") {
        return Ok(());
    }
    let ways = [
        ("64 kept connections, plain upstream", world.service.plain, 64, true),
        ("64 kept connections, TLS upstream", world.service.tls, 64, true),
        ("one kept connection, plain upstream", world.service.plain, 1, true),
        ("new connections, 16 at once, TLS upstream", world.service.tls, 16, false),
    ];
    for (what, upstream, at_once, keep) in ways {
        println!("\n  {what}");
        let mut rows = Vec::new();
        for peer in &world.peers {
            let mut calls = once(world, peer.as_ref(), upstream, at_once, keep)?;
            calls.sort_by(|a, b| b.1.total_cmp(&a.1));
            let all: f64 = calls.iter().map(|(_, count)| count).sum();
            let most = calls.iter().take(NAMED).map(|(name, count)| format!("{name} {}", three(*count)));
            rows.push(vec![peer.name(), three(all), most.collect::<Vec<_>>().join(", ")]);
        }
        print(&["", "calls a request", "most of them"], &rows);
    }
    Ok(())
}

fn once(world: &World, peer: &dyn Peer, upstream: Upstream, at_once: usize, keep: bool) -> Result<Vec<(String, f64)>> {
    let named = |error| format!("{}: {error}", peer.name());
    let route = world.route("one", upstream)?;
    let listen = route.listen.clone();
    let running = start(peer, &world.plan(vec![route]), &world.scratch)?;
    let calls = Calls { path: SMALL.0, length: SMALL.1, connections: at_once, keep, ..Calls::default() };
    let mut callers = Callers::start(&listen, &calls)?;
    callers.call(Amount::Requests(1_000), at_once).map_err(named)?;

    counted(running.processes().pids(), &world.scratch, || {
        let called = callers.call(Amount::Requests(REQUESTS), at_once).map_err(named)?;
        Ok(called.requests)
    })
}
