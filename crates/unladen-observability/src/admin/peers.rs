//! Content of `/peers`: [`document`], `unladen.serve-peers/1`, the nodes of the fleet and the state of other nodes.

use serde_json::{Value, json};

use crate::Observability;
use crate::wall::Wall;

pub(super) async fn document(observability: &Observability) -> Value {
    let fleet = observability.fleet().map(|fleet| {
        let nodes = fleet.nodes();
        let own = &fleet.settings().bus.node;
        json!({
            "node": own,
            "nodes": nodes.all,
            "looked_ago_ns": nodes.looked.map(|looked| looked.elapsed().as_nanos() as u64),
            // Those that are furthest behind.
            "list": nodes.nodes.iter().map(|one| json!({
                "node": &*one.node,
                "own": *one.node == **own,
                "behind": one.behind,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "unladen.serve-peers/1",
        "time": Wall::now().to_string(),
        "fleet": fleet,
        "peers": observability.peers.state().await,
    })
}
