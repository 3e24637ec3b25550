//! The principal type is [`Serve`]: `unladen serve`, up for as long as a test needs it.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::call::{Call, Done, Running};
use crate::readiness::Readiness;
use crate::wait;

/// `unladen serve`, up for as long as a test needs it. It is killed when this is dropped; a test that ends well says
/// [`Serve::stop`], which looks for what went wrong meanwhile.
#[derive(Debug)]
pub struct Serve {
    running: Running,
    folder: TempDir,
}

impl Serve {
    /// With this configuration, in which `DIR` stands for a folder of its own: `listen = "unix:DIR/a.sock"`. Returns once
    /// it serves, at all of its addresses.
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
        let readiness = Readiness::new(folder.path());
        let running = call.env(Readiness::VARIABLE, readiness.path()).through_shell(&script).start();
        readiness.wait(|| running.end());
        Self { running, folder }
    }

    /// A new connection to a socket of this name in its folder.
    pub fn connect(&self, socket: &str) -> UnixStream {
        connect(&self.path(socket))
    }

    /// The path of a file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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

fn connect(path: &Path) -> UnixStream {
    wait::until_ok(&format!("somebody listens at {}", path.display()), || UnixStream::connect(path))
}
