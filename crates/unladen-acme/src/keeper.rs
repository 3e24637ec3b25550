//! The principal type is [`Keeper`]: sees to it that each certificate that is wanted is held.

mod follower;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use self::follower::Follower;
use crate::answers::Answers;
use crate::clock::now;
use crate::event::Event;
use crate::held::Held;
use crate::state::Folder;
use crate::wanted::Wanted;

/// Who is told of events.
pub(crate) type Tell = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// Sees to it that each certificate that is wanted is held. Its tasks run on the runtime of whoever calls
/// [`Keeper::follow`]; they end when it is dropped, also in the middle of an order.
pub struct Keeper {
    answers: Arc<Answers>,
    pace: Pace,
    tell: Tell,
    certificates: HashMap<Wanted, Task>,
    folders: HashMap<Folder, Task>,
}

/// How often it looks.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Whether another process has put a certificate in place, or somebody has removed a file.
    pub look: Duration,
    /// Whether there are other answers for authorities.
    pub answers: Duration,
    /// For so long answers are there before the authority is told: longer than [`Pace::answers`].
    pub settle: Duration,
    /// Whether the process that orders is done.
    pub elsewhere: Duration,
}

/// Ends with this.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

// === impl Pace ===

impl Default for Pace {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(5),
            answers: Duration::from_secs(1),
            settle: Duration::from_millis(1500),
            elsewhere: Duration::from_secs(2),
        }
    }
}

// === impl Keeper ===

impl Keeper {
    /// One that has nothing to see to yet.
    pub fn new(answers: Arc<Answers>, pace: Pace, tell: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        Self { answers, pace, tell: Arc::new(tell), certificates: HashMap::new(), folders: HashMap::new() }
    }

    /// Sees to these from now on, and no longer to others. What goes on is not begun anew.
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
            let task = Task(tokio::spawn(follower.run()));
            self.certificates.insert(wanted, task);
        }
    }

    fn watch(&self, folder: Folder) -> Task {
        let (answers, pause) = (self.answers.clone(), self.pace.answers);
        Task(tokio::spawn(async move {
            loop {
                answers.look(&folder, now());
                tokio::time::sleep(pause).await;
            }
        }))
    }
}

impl Default for Keeper {
    /// Tells nobody.
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
