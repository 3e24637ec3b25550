//! What an answer from the cache costs over kept connections of TLS 1.3, all with the same certificate and cipher.

use super::hit::{CONNECTIONS, LARGE, SMALL, judge, show};
use super::standing::{MEMORY, Standing};
use super::times::{TIME, WARM_UP};
use super::world::World;
use crate::Result;
use crate::figures::Series;
use crate::rig::callers::SETTLE;
use crate::rig::load::Load;

/// Our CPU time of a request over another's, at most.
const BOUNDS: [(&str, f64); 1] = [("nginx", 0.8)];

pub(super) fn run(world: &World) -> Result<()> {
    for page in [SMALL, LARGE] {
        let mut cpu_us = vec![Series::default(); world.contestants.len()];
        let mut rate = cpu_us.clone();
        for round in 0..world.rounds_or(5) {
            for turn in 0..world.contestants.len() {
                let index = (turn + round) % world.contestants.len();
                let contestant = &*world.contestants[index];
                if !contestant.speaks_tls() {
                    continue;
                }
                let tls = Some(&world.certificates);
                let standing = Standing::start_with(world, contestant, MEMORY, tls, String::new())?;
                let url = format!("https://{}{page}", standing.listen).replace("127.0.0.1", "localhost");
                let load = Load {
                    url: &url,
                    ca: Some(&world.certificates.ca),
                    rate: None,
                    connections: CONNECTIONS,
                    length: Some(page.length),
                };
                // What is stored, and how many requests its first ones were, is known afterwards.
                load.run(WARM_UP, WARM_UP).map_err(|error| standing.named(&*error))?;
                std::thread::sleep(SETTLE);
                let (asked, processes) = (world.origin.requests()?, standing.processes());
                let before = processes.cpu()?;
                // Its handshakes are in what it took: 64 of some 50,000 requests.
                let loaded = load.run(std::time::Duration::ZERO, TIME).map_err(|error| standing.named(&*error))?;
                std::thread::sleep(SETTLE);
                let cpu = processes.cpu()?.saturating_sub(before);
                standing.is_from_memory(asked)?;
                cpu_us[index].push(cpu.as_secs_f64() * 1e6 / loaded.requests);
                rate[index].push(loaded.requests / loaded.seconds);
            }
        }
        println!("\n  {} bytes", page.length);
        show(world, &cpu_us, &rate);
        judge(world, "CPU of a request", &cpu_us, &BOUNDS);
    }
    Ok(())
}
