//! The principal type is [`Outbound`]: `unladen serve` with one upstream, and what can be seen of it from outside.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::call::Done;
use crate::port::free_address;
use crate::serve::Serve;
use crate::wait;
use crate::wire::Wire;

/// `unladen serve` with one upstream; it listens at a Unix socket and at an address.
#[derive(Debug)]
pub struct Outbound {
    serve: Serve,
    address: SocketAddr,
}

impl Outbound {
    /// With this upstream, and these settings of its table, which may begin others: `via = false`,
    /// `[outbound.timeouts]` …
    pub fn of(upstream: &str, settings: &str) -> Self {
        Self::start(&format!("upstream = \"{upstream}\"\n{settings}"))
    }

    /// With a table of these settings.
    pub fn start(settings: &str) -> Self {
        let address = free_address();
        let serve = Serve::start(&format!(
            "threads = 2
             [admin]
             listen = \"unix:DIR/admin.sock\"
             [[outbound]]
             name = \"test\"
             listen = [\"unix:DIR/a.sock\", \"{address}\"]
             {settings}
             "
        ));
        Self { serve, address }
    }

    /// A new connection to its Unix socket.
    pub fn wire(&self) -> Wire {
        Wire::unix(&self.socket())
    }

    /// A new connection to its address.
    pub fn tcp(&self) -> Wire {
        Wire::tcp(self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, too.
    pub fn socket(&self) -> PathBuf {
        self.serve.path("a.sock")
    }

    /// A file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.serve.path(name)
    }

    /// All its metrics.
    pub fn metrics(&self) -> String {
        Wire::unix(&self.serve.path("admin.sock")).get("/metrics").is(200).text()
    }

    /// A line of its metrics, by its start: the number. None: there is no such line.
    pub fn metric(&self, start: &str) -> Option<f64> {
        let text = self.metrics();
        let line = text.lines().find(|line| line.starts_with(start))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    /// Requests in flight to the upstream.
    pub fn in_flight(&self) -> f64 {
        self.metric("http_client_active_requests{").expect("a gauge of requests in flight")
    }

    /// Waits until none is in flight.
    #[track_caller]
    pub fn wait_until_idle(&self) {
        wait::until("no request is in flight", || self.in_flight() == 0.0);
    }

    /// Memory that it holds, in bytes ([`Running::memory`](crate::Running::memory)).
    pub fn memory(&self) -> u64 {
        self.serve.running().memory()
    }

    /// Does not let it run until [`Outbound::resume`], as a machine with other work may.
    pub fn suspend(&self) {
        self.serve.running().signal(nix::sys::signal::Signal::SIGSTOP);
    }

    /// Lets it run on.
    pub fn resume(&self) {
        self.serve.running().signal(nix::sys::signal::Signal::SIGCONT);
    }

    /// Asks it to stop, which has to go well.
    #[track_caller]
    pub fn stop(self) -> Done {
        self.serve.stop()
    }
}
