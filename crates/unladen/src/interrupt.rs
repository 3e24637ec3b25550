//! Ctrl-C and SIGTERM: the first asks for an orderly end. What the second does depends on what there is to put in order.

use std::io;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use unladen_load::Cancel;

use crate::exit::Code;

/// Has a write fail that would make a file larger than this process may (`ulimit -f`), and is told as a full disk is. The
/// signal would end the process otherwise, amid an experiment too, with the system left switched.
pub(crate) fn survive_file_limit() {
    // Programs that this process starts have the signal as it was: a handler is not inherited.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Throws `cancel` at the first signal; the second ends the process at once.
///
/// # Errors
/// When the system refuses the handler or the thread.
pub(crate) fn on_signal(cancel: &Cancel) -> io::Result<()> {
    watch(cancel, || std::process::exit(Code::Interrupted as i32))
}

/// Throws `cancel` at the first signal, while an experiment is switched. A second one does not end the process as it
/// does elsewhere: that would leave the system switched, and the second comes just while it is put back, from whoever
/// finds that slow. It is answered with what is going on.
///
/// # Errors
/// When the system refuses the handler or the thread.
pub(crate) fn on_signal_while_switched(cancel: &Cancel) -> io::Result<()> {
    watch(cancel, || {
        eprintln!("unladen: everything is being put back; after kill -9, `unladen prove --restore FILE` would do that");
    })
}

/// Throws `cancel` at the first signal, and does this at each further one.
fn watch(cancel: &Cancel, again: fn()) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let cancel = cancel.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                again();
            }
            cancel.cancel();
        }
    })?;
    Ok(())
}
