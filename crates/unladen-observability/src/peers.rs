//! The principal type is [`Peers`]: state of the other nodes in the settings, for the live page.
//!
//! They are asked only while somebody looks, all at once and at most every [`EVERY`]. Answers are untrusted: bounded,
//! parsed strictly, and shown as text.

mod address;
mod ask;
mod reading;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use self::reading::Reading;
pub use address::{PeerAddress, PeerAddressError};

const EVERY: Duration = Duration::from_secs(2);

/// Answers further apart are not compared.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Peers {
    addresses: ArcSwap<Vec<PeerAddress>>,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    asked: Option<Instant>,
    peers: Vec<Peer>,
}

#[derive(Debug)]
struct Peer {
    address: PeerAddress,
    reading: Option<Reading>,
    shown: Value,
}

impl Peers {
    pub(super) fn set(&self, addresses: Vec<PeerAddress>) {
        self.addresses.store(Arc::new(addresses));
    }

    pub(super) fn len(&self) -> usize {
        self.addresses.load().len()
    }

    pub(super) async fn state(&self) -> Vec<Value> {
        let addresses = self.addresses.load_full();
        let mut last = self.last.lock().await;
        let is_old = last.asked.is_none_or(|asked| asked.elapsed() >= EVERY);
        if is_old || !last.peers.iter().map(|peer| &peer.address).eq(&*addresses) {
            let now = Instant::now();
            last.peers = ask(&addresses, &last.peers).await;
            last.asked = Some(now);
        }
        last.peers.iter().map(|peer| peer.shown.clone()).collect()
    }
}

async fn ask(addresses: &[PeerAddress], before: &[Peer]) -> Vec<Peer> {
    let mut asking = JoinSet::new();
    for (index, address) in addresses.iter().cloned().enumerate() {
        asking.spawn(async move { (index, ask::metrics(&address).await, Instant::now()) });
    }
    let mut answers: Vec<_> = addresses.iter().map(|_| None).collect();
    while let Some(answer) = asking.join_next().await {
        if let Ok((index, answer, taken)) = answer {
            answers[index] = Some((answer, taken));
        }
    }
    let peers = addresses.iter().zip(answers).map(|(address, answer)| {
        let before = before.iter().find(|peer| peer.address == *address).and_then(|peer| peer.reading.as_ref());
        let read = match answer {
            Some((Ok(body), taken)) => Reading::of(&body, taken).map_err(|error| {
                // Its excerpt of the answer is short, and without control characters.
                format!("its metrics cannot be read: {error}")
            }),
            Some((Err(error), _)) => Err(error.to_string()),
            None => Err("it could not be asked".to_owned()),
        };
        let mut shown = match &read {
            Ok(reading) => reading.since(before.filter(|before| before.is_recent(LONGEST))),
            Err(error) => json!({ "error": error }),
        };
        shown["address"] = address.to_string().into();
        Peer { address: address.clone(), reading: read.ok(), shown }
    });
    peers.collect()
}

#[cfg(test)]
mod tests;
