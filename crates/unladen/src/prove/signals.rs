//! [`on_signal`]: Ctrl-C and SIGTERM while an experiment is switched.

use std::io;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use unladen_load::Cancel;

/// Throws `cancel` at the first signal. A second one does not end the process as it does elsewhere: that would leave
/// the system switched, and the second comes just while it is put back, from whoever finds that slow. It is answered
/// with what is going on.
///
/// # Errors
/// When the system refuses the handler or the thread.
pub(crate) fn on_signal(cancel: &Cancel) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let cancel = cancel.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                eprintln!(
                    "unladen: everything is being put back; after kill -9, `unladen prove --restore FILE` would do that"
                );
            }
            cancel.cancel();
        }
    })?;
    Ok(())
}
