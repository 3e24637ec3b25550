//! The principal type is [`Keeper`]: keeps each wanted certificate held and current.

mod follower;

use std::collections::HashMap;
use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use self::follower::Follower;
use crate::answers::Answers;
use crate::clock::now;
use crate::event::{Event, Pace, Tell};
use crate::held::Held;
use crate::state::Folder;
use crate::wanted::Wanted;

/// Keeps each wanted certificate held and current. Its tasks run on the runtime of the caller of [`Keeper::follow`];
/// they end when it is dropped, even in the middle of an order.
pub struct Keeper {
    answers: Arc<Answers>,
    pace: Pace,
    tell: Tell,
    certificates: HashMap<Wanted, AbortOnDropHandle<()>>,
    folders: HashMap<Folder, AbortOnDropHandle<()>>,
}

// === impl Keeper ===

impl Keeper {
    /// Makes a keeper without certificates.
    pub fn new(answers: Arc<Answers>, pace: Pace, tell: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        Self { answers, pace, tell: Arc::new(tell), certificates: HashMap::new(), folders: HashMap::new() }
    }

    /// Follows these certificates from now on, and no others. Those already followed are not restarted.
    pub fn follow(&mut self, wanted: Vec<(Wanted, Arc<Held>)>) {
        let mut before = std::mem::take(&mut self.certificates);
        let mut folders_before = std::mem::take(&mut self.folders);
        let mut begin = Vec::new();
        for (wanted, held) in wanted {
            let folder = Folder::new(&wanted.authority().state, &wanted.authority().directory);
            if !self.folders.contains_key(&folder) {
                let task = folders_before.remove(&folder).unwrap_or_else(|| self.watch(folder.clone()));
                self.folders.insert(folder.clone(), task);
            }
            match before.remove(&wanted) {
                Some(task) => drop(self.certificates.insert(wanted, task)),
                None => begin.push((wanted, held, folder)),
            }
        }
        // Those that end give their locks back before others begin.
        drop(before);
        for folder in folders_before.keys() {
            self.answers.forget(folder);
        }
        for (wanted, held, folder) in begin {
            let (answers, tell) = (self.answers.clone(), self.tell.clone());
            let follower = Follower::new(wanted.clone(), held, folder, (answers, self.pace, tell));
            let task = AbortOnDropHandle::new(tokio::spawn(follower.run()));
            self.certificates.insert(wanted, task);
        }
    }

    fn watch(&self, folder: Folder) -> AbortOnDropHandle<()> {
        let (answers, pause) = (self.answers.clone(), self.pace.answers);
        AbortOnDropHandle::new(tokio::spawn(async move {
            loop {
                answers.look(&folder, now());
                tokio::time::sleep(pause).await;
            }
        }))
    }
}

impl Default for Keeper {
    fn default() -> Self {
        Self::new(Arc::default(), Pace::default(), |_| {})
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").field("certificates", &self.certificates.keys()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
