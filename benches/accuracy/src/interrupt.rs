//! Ctrl-C amid real runs: [`take_down_first`].

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

static IS_ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Has the first signal end the run that is under way, so that the servers and databases that a proof has started are taken
/// down; the second one ends this process as it stands.
pub(crate) fn take_down_first() {
    let asked = IS_ASKED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        // Without it, the first one ends it.
        let _ = register_conditional_shutdown(signal, 130, asked.clone());
        let _ = register(signal, asked.clone());
    }
}

pub(crate) fn go_on() -> io::Result<()> {
    match IS_ASKED.get() {
        Some(asked) if asked.load(Ordering::SeqCst) => Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted")),
        _ => Ok(()),
    }
}
