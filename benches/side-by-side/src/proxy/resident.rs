//! The function is [`resident`]: what each proxy holds in memory, before and after.

use super::peer::Peer;
use super::world::World;
use crate::Result;
use crate::figures::{Series, print};

/// Prints MiB of resident memory at two times, which have these headings, and gives them by proxy.
pub(super) fn resident(
    world: &World,
    headings: [&str; 2],
    once: impl Fn(&World, &dyn Peer) -> Result<(f64, f64)>,
) -> Result<[Vec<Series>; 2]> {
    let mut before = vec![Series::default(); world.peers.len()];
    let mut after = before.clone();
    for _ in 0..world.rounds_or(3) {
        for (index, peer) in world.peers.iter().enumerate() {
            let (first, second) = once(world, peer.as_ref())?;
            before[index].push(first);
            after[index].push(second);
        }
    }
    let row = |index: usize| {
        vec![
            world.peers[index].name(),
            before[index].to_string(),
            after[index].to_string(),
            after[index].over(&after[0]).to_string(),
        ]
    };
    let rows: Vec<_> = (0..world.peers.len()).map(row).collect();
    print(&["", headings[0], headings[1], &format!("to {}", world.peers[0].name())], &rows);
    Ok([before, after])
}
