//! The principal type is [`Ready`]: how to tell that a program is up again.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unladen_load::{Cancel, Driver, DriverConfig, Expect, LoadError, RequestBuilder, Statuses, TlsOptions};
use url::Url;

use crate::error::SwitchError;
use crate::shell::Shell;

/// A condition with a time limit.
#[derive(Clone, Debug)]
pub struct Ready {
    pub check: Check,
    pub within: Duration,
}

/// A condition that is polled.
#[derive(Clone, Debug, derive_more::Display)]
#[non_exhaustive]
pub enum Check {
    #[display("{url} answering {statuses}")]
    Url { url: Url, statuses: Statuses, tls: Box<TlsOptions> },
    #[display("`{_0}`")]
    Command(String),
    #[display("a connection to {_0}")]
    Tcp(SocketAddr),
    #[display("a connection to {}", _0.display())]
    Unix(PathBuf),
}

/// Default time for a program to come up.
pub(crate) const USUAL: Duration = Duration::from_secs(30);
pub(crate) const PAUSE: Duration = Duration::from_millis(25);
const CONNECT: Duration = Duration::from_secs(1);

impl Ready {
    /// Waits until the condition holds for `what`. Fails when that takes too long, or is cancelled.
    pub(crate) fn wait(&self, what: &str, shell: &Shell, cancel: &Cancel) -> Result<(), SwitchError> {
        let started = Instant::now();
        loop {
            // The last check may exceed the rest, but not by much.
            let left = self.within.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
            let Err(last) = self.check.look(left, shell, cancel) else { return Ok(()) };
            if cancel.is_cancelled() {
                return Err(SwitchError::Cancelled);
            }
            if started.elapsed() + PAUSE >= self.within {
                let (condition, within) = (self.check.to_string(), self.within);
                return Err(SwitchError::NotReady { what: what.to_owned(), condition, within, last });
            }
            if cancel.wait(PAUSE) {
                return Err(SwitchError::Cancelled);
            }
        }
    }
}

// === impl Check ===

impl Check {
    fn look(&self, within: Duration, shell: &Shell, cancel: &Cancel) -> Result<(), String> {
        match self {
            Self::Url { url, statuses, tls } => {
                // A new driver each time: an old one's connection may lead to the process that has ended.
                let asked = ask(url, statuses, tls, within).and_then(|mut driver| driver.sample(0, cancel).map(drop));
                asked.map_err(|error| error.to_string())
            }
            Self::Command(command) => {
                shell.run(command, &BTreeMap::new(), within, cancel).map_err(|error| error.to_string())
            }
            Self::Tcp(address) => {
                TcpStream::connect_timeout(address, within.min(CONNECT)).map(drop).map_err(|error| error.to_string())
            }
            Self::Unix(path) => UnixStream::connect(path).map(drop).map_err(|error| error.to_string()),
        }
    }
}

fn ask(url: &Url, statuses: &Statuses, tls: &TlsOptions, within: Duration) -> Result<Driver, LoadError> {
    let request = RequestBuilder::new(http::Method::GET, url.clone()).and_then(RequestBuilder::build);
    // It was checked when the file was read.
    let request = request.map_err(|error| LoadError::Config {
        what: "URL of a ready check",
        value: error.to_string(),
        expected: "one of http or https",
    })?;
    Driver::start(DriverConfig {
        timeout: within,
        connect_timeout: within,
        tls: tls.clone(),
        keep_alive: false,
        expect: Expect { statuses: statuses.clone(), ..Expect::default() },
        ..DriverConfig::new(vec![request])
    })
}

/// A program that can be restarted; table `[[service]]` of the file.
#[derive(Clone, Debug)]
pub struct Service {
    pub name: String,
    pub restart: Restart,
    pub ready: Option<Ready>,
}

/// How a service is restarted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// By a shell command, run with the service's variables from knobs.
    Command(String),
    /// As a systemd unit, its name with the suffix; variables go into a drop-in.
    Unit(String),
}

impl Restart {
    /// The shell command that restarts it.
    pub fn command(&self) -> String {
        match self {
            Self::Command(command) => command.clone(),
            Self::Unit(unit) => format!("systemctl restart {unit}"),
        }
    }
}

#[cfg(test)]
mod tests;
