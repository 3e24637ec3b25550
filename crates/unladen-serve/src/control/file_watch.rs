//! Tells when the configuration may have changed.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::event::Event;

/// An editor writes a file in several steps, and what puts several files in place takes a while.
const QUIET: Duration = Duration::from_millis(100);

/// Tells of each change in the file's folder, for as long as the process lives.
///
/// The folder, as editors put another file in its place; and that of the file it links to, as Kubernetes switches a link above it.
pub(super) fn pass_on(file: &Path, events: Sender<Event>) -> io::Result<()> {
    // Blocking: this thread has nothing else to do.
    let inotify = Inotify::init(InitFlags::IN_CLOEXEC)?;
    // Not what is being written, which is for later: a log may lie beside it.
    let changes = AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_CREATE;
    for folder in folders(file)? {
        inotify.add_watch(&folder, changes | AddWatchFlags::IN_ONLYDIR)?;
    }
    let pass = move || {
        loop {
            match inotify.read_events() {
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                // Nothing more will be told; SIGHUP is.
                Err(_) => return,
            }
            thread::sleep(QUIET);
            if events.send(Event::FileChanged).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("file-watch".into()).spawn(pass).map(drop)
}

fn folders(file: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let named = std::path::absolute(file)?;
    let real = file.canonicalize()?;
    Ok([named, real].iter().filter_map(|path| Some(path.parent()?.to_owned())).collect())
}
