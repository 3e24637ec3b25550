//! Watches the list of nodes, for all purges that wait.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::fleet::Fleet;
use crate::fleet::progress::Waiting;
use crate::purge_bus::MEMBERS;
use crate::{Member, Position, Wait};

/// Bounds of the pause between two looks: healthy nodes may read within a millisecond …
const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(20);
/// … and after a long wait this part of it passes before the next look: few looks, with a delay of at most that part.
const PART: u32 = 4;
/// The pause is at least this multiple of the look's duration …
const SPARED: u32 = 3;
/// … but at most this for each node of the list: a short list costs the engine little, however long the answer was on
/// its way.
const EACH: Duration = Duration::from_micros(20);
/// Maximum of names kept for all waiting purges.
const NAMES: usize = 100_000;
/// Interval of looks for the count while nobody waits.
const IDLE: Duration = Duration::from_secs(15);

impl Fleet {
    pub(super) async fn watch(&self, mut watching: mpsc::Receiver<Waiting>) {
        let mut waiting: Vec<Waiting> = Vec::new();
        // When the last purge came, and the usual duration then.
        let (mut since, mut usual) = (Instant::now(), Duration::ZERO);
        loop {
            if waiting.is_empty() {
                match tokio::time::timeout(IDLE, watching.recv()).await {
                    Ok(Some(next)) => {
                        since = Instant::now();
                        // Sooner than usual, to notice if it takes less by now.
                        let pause = (usual - usual / PART).clamp(FIRST, LONGEST);
                        tokio::time::sleep(pause.min(next.until.saturating_duration_since(since))).await;
                        waiting.push(next);
                    }
                    Ok(None) => return,
                    Err(_) => {}
                }
            }
            while let Ok(next) = watching.try_recv() {
                waiting.push(next);
                since = Instant::now();
            }
            let began = Instant::now();
            let looked = self.bus.members().await;
            let took = began.elapsed();
            if let Ok((end, members)) = &looked {
                self.counts.members.store(members.len() as u64, Ordering::Relaxed);
                self.nodes.lock().unwrap_or_else(PoisonError::into_inner).look(end, members, Instant::now());
            }
            let kept: usize = waiting.iter().map(Waiting::names).sum();
            let room = NAMES.saturating_sub(kept) / waiting.len().max(1);
            let mut left = Vec::with_capacity(waiting.len());
            for mut one in std::mem::take(&mut waiting) {
                let most = (one.names() + room).min(MEMBERS);
                let told = match &looked {
                    Ok((end, members)) => self.judge(&mut one, (end, members), most).await,
                    Err(error) => Err(format!("the list of nodes is not available: {error}")),
                };
                match told {
                    Ok(()) => {
                        usual = usual_after(usual, began.saturating_duration_since(since));
                        one.tell(true, None);
                    }
                    Err(why) if Instant::now() >= one.until => one.tell(false, Some(why)),
                    Err(_) => left.push(one),
                }
            }
            waiting = left;
            if !waiting.is_empty() {
                let next = waiting.iter().map(|one| one.until).min().unwrap_or_else(Instant::now);
                let now = Instant::now();
                // With thousands of nodes, each look costs the engine some work.
                let spared = match &looked {
                    Ok((_, members)) => (took * SPARED).min(EACH * u32::try_from(members.len()).unwrap_or(u32::MAX)),
                    Err(_) => took * SPARED,
                };
                let pause = (now.saturating_duration_since(since) / PART).clamp(FIRST, LONGEST).max(spared);
                tokio::time::sleep(pause.min(next.saturating_duration_since(now)).max(FIRST)).await;
            }
        }
    }

    async fn judge(
        &self,
        one: &mut Waiting,
        (end, members): (&Position, &[Member]),
        most: usize,
    ) -> Result<(), String> {
        let (position, whole_since) = {
            let progress = self.progress();
            (progress.position().cloned(), progress.whole_since())
        };
        let epoch = position.as_ref().map(|position| position.epoch().to_owned());
        if epoch.as_deref() != Some(one.position.epoch()) {
            if epoch == one.epoch || epoch.is_none() {
                return Err("this node has not read it itself yet".to_owned());
            }
            // The engine may have lost it and begun a new history: it is written there, too.
            one.epoch = epoch;
            let written = self.bus.publish(std::slice::from_ref(&one.record)).await;
            let places =
                written.map_err(|error| format!("the engine was restarted, and does not accept it: {error}"))?;
            one.position = places.into_iter().next().unwrap_or_else(|| one.position.clone());
            return Err("the engine was restarted".to_owned());
        }
        // An engine that was just emptied has a list without the nodes that rely on the previous one, and this node may
        // not have noticed yet.
        if end.epoch() != one.position.epoch() {
            return Err("the engine has begun another list of nodes".to_owned());
        }
        let confirmed = one.look(members, most);
        // This node renews its entry four times in a lease: a list without it is not the one that others rely on.
        let is_listed = members.iter().any(|member| member.node() == self.settings.bus.node);
        match one.wait {
            Wait::Nobody => Ok(()),
            _ if !is_listed => {
                Err("this node is not in the engine's list of nodes: others may be missing, too".to_owned())
            }
            Wait::Quorum if confirmed * 2 <= members.len() => {
                Err(format!("{confirmed} of {} nodes have confirmed it", members.len()))
            }
            Wait::All if confirmed < members.len() => {
                Err(format!("{} of {} nodes have not confirmed it", members.len() - confirmed, members.len()))
            }
            // A node missing from the list may rely on the previous one.
            _ if whole_since.is_none_or(|since| since.elapsed() < self.settings.lease) => {
                Err("the engine's list of nodes is younger than a lease: others may be missing from it".to_owned())
            }
            Wait::Quorum | Wait::All => Ok(()),
        }
    }
}

/// New estimate of the usual duration. A wait for a dead node, or for the list's age, says little: the next purge would
/// wait for nothing.
fn usual_after(usual: Duration, took: Duration) -> Duration {
    (usual + took.min(usual * 2 + FIRST)) / 2
}

#[cfg(test)]
mod tests;
