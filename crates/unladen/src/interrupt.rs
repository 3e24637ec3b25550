//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once.

use std::io;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use unladen_load::Cancel;

use crate::exit::Code;

/// Throws `cancel` at the first signal.
///
/// # Errors
/// When the system refuses the handler or the thread.
pub(crate) fn on_signal(cancel: &Cancel) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let cancel = cancel.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                std::process::exit(Code::Interrupted as i32);
            }
            cancel.cancel();
        }
    })?;
    Ok(())
}
