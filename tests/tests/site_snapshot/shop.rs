//! The principal type is [`Shop`]: `unladen serve` in front of an application, started again and again in one folder.

use std::net::SocketAddr;
use std::ops::Deref;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;

use unladen_tests::{Answer, Succession, Upstream, Wire, binary, free_address, wait};

/// `unladen serve` in front of an application, started again and again in one folder.
pub struct Shop {
    serve: Succession,
    address: SocketAddr,
    script: &'static str,
}

// === impl Shop ===

impl Shop {
    /// With these settings of the site, in which `DIR` stands for its folder; its snapshot is `DIR/shop.snapshot`.
    pub fn start(app: &Upstream, settings: &str) -> Self {
        let shop = Self::new(app, settings, "exec \"$@\"");
        shop.start_again();
        shop
    }

    /// The same, to be started through a script that ends in `exec "$@"`, in which `DIR` stands for the folder, too.
    pub fn new(app: &Upstream, settings: &str, script: &'static str) -> Self {
        let shop = Self { serve: Succession::new(), address: free_address(), script };
        shop.configure(app, settings);
        shop
    }

    /// Writes its configuration; without a `snapshot` among the settings, with the usual one.
    pub fn configure(&self, app: &Upstream, settings: &str) {
        let snapshot = if settings.contains("snapshot") { "" } else { "snapshot.file = \"DIR/shop.snapshot\"" };
        self.write(&format!(
            "threads = 2
             [admin]
             listen = \"unix:DIR/admin.sock\"
             [[site]]
             name = \"shop\"
             listen = \"{}\"
             upstream = \"{}\"
             outlier = false
             {snapshot}
             {settings}
             ",
            self.address,
            app.url()
        ));
    }

    /// Starts it, and waits until it is up.
    pub fn start_again(&self) {
        let mut command = self.command(binary(), Some(self.script));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        self.serve.start(command);
        self.wait_until_it_serves();
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn snapshot(&self) -> PathBuf {
        self.path("shop.snapshot")
    }

    pub fn wire(&self) -> Wire {
        Wire::tcp(self.address)
    }

    /// GET on a connection of its own.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.wire().get(path).is(200)
    }

    /// The same after a handover: the process before may still get what waits to be accepted, and says that it goes.
    pub fn get_of_successor(&self, path: &str) -> Answer {
        wait::until_ok("the new process answers", || {
            let answer = self.get(path);
            if answer.field("connection") == Some("close") { Err(format!("{answer:?}")) } else { Ok(answer) }
        })
    }

    /// The sum of a metric's points whose attributes hold this text; none: it has none.
    pub fn metric(&self, name: &str, with: &str) -> Option<f64> {
        let admin = self.path("admin.sock");
        // It listens a moment after the site does.
        wait::until_ok("the admin address is there", || UnixStream::connect(&admin));
        let text = Wire::unix(&admin).get("/metrics").is(200).text();
        let points: Vec<f64> = text
            .lines()
            .filter(|line| line.starts_with(&format!("{name}{{")) && line.contains(with))
            .filter_map(|line| line.rsplit(' ').next()?.parse().ok())
            .collect();
        (!points.is_empty()).then(|| points.iter().sum())
    }

    /// Waits until so much has been taken over from the process before.
    #[track_caller]
    pub fn wait_until_loaded(&self, count: f64) {
        wait::until_ok(&format!("{count} responses are taken over"), || {
            let loaded = self.metric("unladen_snapshot_loaded_total", "");
            if loaded == Some(count) { Ok(()) } else { Err(format!("{loaded:?}\n{}", self.said())) }
        });
    }
}

impl Deref for Shop {
    type Target = Succession;

    fn deref(&self) -> &Succession {
        &self.serve
    }
}
