//! The principal type is [`RateLimits`]: Envoy's rate limit service, with a server of Redis or Valkey of its own.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::port::free_address;
use crate::{Valkey, go_program, wait};

/// What it is made of.
const SOURCES: [(&str, &str); 3] = [
    ("main.go", include_str!("../tools/rate-limit-service/main.go")),
    ("go.mod", include_str!("../tools/rate-limit-service/go.mod")),
    ("go.sum", include_str!("../tools/rate-limit-service/go.sum")),
];
/// Changes with what it is made of.
const VERSION: &str = "rate-limit-service-20260122-1";

/// Envoy's rate limit service on 127.0.0.1. It is killed when this is dropped.
#[derive(Debug)]
pub struct RateLimits {
    child: Child,
    address: SocketAddr,
    valkey: Valkey,
    folder: TempDir,
}

// === impl RateLimits ===

impl RateLimits {
    /// Whether it can be had here; if not, that is told, in a line that is counted. `test`: who asks.
    pub fn is_here(test: &str) -> bool {
        let is_here = program().is_some();
        if !is_here {
            let what = "it takes Envoy's rate limit service: Go 1.25.6 or newer";
            assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "{what}");
            // Not eprintln!, which is shown of failing tests only.
            let _ = std::io::stderr().write_all(format!("SKIPPED: {test}: {what}\n").as_bytes());
        }
        is_here
    }

    /// With this configuration of a domain (YAML).
    ///
    /// # Panics
    /// If it cannot be had, or does not come up.
    pub fn start(domain: &str) -> Self {
        let (address, valkey) = (free_address(), Valkey::start());
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = folder.path().join("ratelimit/config");
        std::fs::create_dir_all(&config).expect("a folder of the configuration");
        std::fs::write(config.join("domain.yaml"), domain).expect("the configuration");
        let child = spawn(address, &valkey, &folder);
        let limits = Self { child, address, valkey, folder };
        limits.wait_until_it_listens();
        limits
    }

    /// Where it listens for gRPC.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it without a word; what it has counted stays.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again at the same address.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(self.address, &self.valkey, &self.folder);
        self.wait_until_it_listens();
    }

    fn wait_until_it_listens(&self) {
        wait::until_ok("the rate limit service listens", || std::net::TcpStream::connect(self.address));
    }
}

impl Drop for RateLimits {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(address: SocketAddr, valkey: &Valkey, folder: &TempDir) -> Child {
    let mut command = Command::new(program().expect("the rate limit service"));
    // It serves a page and figures too, which nobody asks for.
    for (prefix, at) in [("GRPC_", address), ("", free_address()), ("DEBUG_", free_address())] {
        command.env(format!("{prefix}HOST"), at.ip().to_string()).env(format!("{prefix}PORT"), at.port().to_string());
    }
    command
        .env("USE_STATSD", "false")
        .env("RUNTIME_ROOT", folder.path())
        .env("RUNTIME_SUBDIRECTORY", "ratelimit")
        .env("RUNTIME_WATCH_ROOT", "false")
        .env("REDIS_SOCKET_TYPE", "tcp")
        .env("REDIS_URL", valkey.address().to_string())
        .env("REDIS_AUTH", Valkey::PASSWORD)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be run")
}

fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(|| go_program::build("rate-limit-service", VERSION, &SOURCES)).as_ref()
}
