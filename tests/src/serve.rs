//! The principal type is [`Serve`]: `unladen serve`, up for as long as a test needs it.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::call::{Call, Done, Running};
use crate::wait;

/// `unladen serve`, up for as long as a test needs it. It is killed when this is dropped; a test that ends well says
/// [`Serve::stop`], which looks for what went wrong meanwhile.
#[derive(Debug)]
pub struct Serve {
    running: Running,
    folder: TempDir,
}

// === impl Serve ===

impl Serve {
    /// With this configuration, in which `DIR` stands for a folder of its own: `listen = "unix:DIR/a.sock"`. Up when
    /// all of the sockets it names can be connected to.
    pub fn start(config: &str) -> Self {
        Self::start_through("exec \"$@\"", config)
    }

    /// The same, started by a shell script that ends in `exec "$@"`, in which `DIR` stands for the same folder.
    pub fn start_through(script: &str, config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = config.replace("DIR", folder.path().to_str().expect("its path is text"));
        let file = folder.path().join("unladen.toml");
        std::fs::write(&file, &config).expect("a file can be written");
        let script = script.replace("DIR", folder.path().to_str().expect("its path is text"));
        let call = Call::new(["serve".as_ref(), "--config".as_ref(), file.as_os_str()]);
        let running = call.through_shell(&script).start();
        let serve = Self { running, folder };
        let named = config.split('"').filter_map(|word| word.strip_prefix("unix:"));
        for path in named.filter(|path| path.starts_with(serve.folder())) {
            drop(connect(Path::new(path)));
            wait_until_it_takes_signals(serve.running.pid());
        }
        serve
    }

    /// A new connection to a socket of this name in its folder.
    pub fn connect(&self, socket: &str) -> UnixStream {
        connect(&self.path(socket))
    }

    /// The path of a file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap_or_default()
    }

    /// The process.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// Asks it to stop, and waits for that.
    #[track_caller]
    pub fn stop(self) -> Done {
        self.running.signal(Signal::SIGTERM);
        self.wait()
    }

    /// Waits until it has stopped, if it has been asked to.
    #[track_caller]
    pub fn wait(self) -> Done {
        self.running.wait().succeeded()
    }
}

/// It listens a moment before it does so: until then a signal ends it.
pub fn wait_until_it_takes_signals(process: Pid) {
    let is_caught = |mask: &str| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & (1 << 14) != 0);
    wait::until("SIGTERM is handled", || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        // One that has ended is found out by who looks at its end.
        caught.is_none_or(is_caught) || status.contains("\nState:\tZ")
    });
}

fn connect(path: &Path) -> UnixStream {
    wait::until_ok(&format!("somebody listens at {}", path.display()), || UnixStream::connect(path))
}
