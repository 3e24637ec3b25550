//! The principal type is [`FarLoad`]: the agent's own load client.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use unladen_load::Cancel;

use super::message::{LoadAnswer, LoadAsk};
use super::spool::ROOM;
use super::worker::Worker;

/// Maximum of waiting questions: a controller asks one after the other.
const WAITING: usize = 4;

/// Sends load for another machine, on its own thread: pings are answered meanwhile, and a stop takes effect.
pub struct FarLoad {
    asks: SyncSender<LoadAsk>,
    cancel: Arc<Mutex<Cancel>>,
}

// === impl FarLoad ===

impl FarLoad {
    /// Starts the thread; it passes answers to `send`, which may block and returns false when the receiver is gone.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(send: impl Fn(LoadAnswer) -> bool + Send + Sync + 'static) -> std::io::Result<Self> {
        Self::with_room(ROOM, send)
    }

    /// The same, with `room` bytes for waiting records.
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

    /// Passes a question on; false when the thread has ended.
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
        // The asking side has left: nothing may be sent for nobody.
        self.stop();
    }
}
