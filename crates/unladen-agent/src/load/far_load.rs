//! The principal type is [`FarLoad`]: the load client of the machine that the agent is on.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use unladen_load::Cancel;

use super::message::{LoadAnswer, LoadAsk};
use super::spool::ROOM;
use super::worker::Worker;

/// Questions that wait while one is worked on: a controller asks one after the other.
const WAITING: usize = 4;

/// Sends load for another machine, on a thread of its own: pings are answered meanwhile, and a stop is heard.
pub struct FarLoad {
    asks: SyncSender<LoadAsk>,
    cancel: Arc<Mutex<Cancel>>,
}

// === impl FarLoad ===

impl FarLoad {
    /// Starts the thread; it hands its answers to `send`, which waits while nobody takes them, and is false when nobody
    /// will any more.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(send: impl Fn(LoadAnswer) -> bool + Send + Sync + 'static) -> std::io::Result<Self> {
        Self::with_room(ROOM, send)
    }

    /// The same, with so many bytes for records that wait.
    pub(super) fn with_room(
        room: usize,
        send: impl Fn(LoadAnswer) -> bool + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (asks, received) = sync_channel(WAITING);
        let cancel = Arc::new(Mutex::new(Cancel::new()));
        let mut worker = Worker::new(Box::new(send), room, Arc::clone(&cancel));
        thread::Builder::new().name("unladen-agent-load".into()).spawn(move || {
            while let Ok(ask) = received.recv() {
                if !worker.answer(ask) {
                    return;
                }
            }
        })?;
        Ok(Self { asks, cancel })
    }

    /// Passes a question on; false when nobody answers any more.
    pub fn ask(&self, ask: LoadAsk) -> bool {
        if ask == LoadAsk::Stop {
            self.stop();
            return true;
        }
        self.asks.send(ask).is_ok()
    }

    fn stop(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

impl Drop for FarLoad {
    fn drop(&mut self) {
        // Who asked has left: nothing may be sent for nobody.
        self.stop();
    }
}
