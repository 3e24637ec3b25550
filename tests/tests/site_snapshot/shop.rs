//! The principal type is [`Shop`]: `unladen serve` in front of an application, started again and again in one folder.

use std::cell::{Cell, RefCell};
use std::fs;
use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use unladen_tests::{Answer, Upstream, Wire, binary, free_address, wait, wait_until_it_takes_signals};

/// `unladen serve` in front of an application, started again and again in one folder. What is left of it is killed when
/// this is dropped.
pub struct Shop {
    folder: TempDir,
    address: SocketAddr,
    child: RefCell<Option<Child>>,
    /// The process that serves now, if it is not the child.
    successor: Cell<Option<Pid>>,
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
        let folder = tempfile::tempdir().expect("a temporary folder");
        let address = free_address();
        let shop = Self { folder, address, child: RefCell::default(), successor: Cell::default(), script };
        shop.configure(app, settings);
        shop
    }

    /// Writes its configuration; without a `snapshot` among the settings, with the usual one.
    pub fn configure(&self, app: &Upstream, settings: &str) {
        let snapshot = if settings.contains("snapshot") { "" } else { "snapshot.file = \"DIR/shop.snapshot\"" };
        let config = format!(
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
        );
        fs::write(self.path("unladen.toml"), self.here(&config)).expect("a file can be written");
    }

    /// Starts it, and waits until it is up.
    pub fn start_again(&self) {
        let said = OpenOptions::new().create(true).append(true).open(self.path("said")).expect("a file can be made");
        let mut command = Command::new("sh");
        command.args(["-c", &self.here(self.script), "sh"]).arg(binary()).arg("serve").arg(self.path("unladen.toml"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn().expect("it starts");
        *self.child.borrow_mut() = Some(child);
        self.successor.set(None);
        wait::until_ok("it listens", || self.or_said(std::net::TcpStream::connect(self.address).is_ok()));
        wait_until_it_takes_signals(self.process());
    }

    /// Asks it to stop, and waits until it has.
    #[track_caller]
    pub fn stop(&self) {
        self.signal(Signal::SIGTERM);
        match self.successor.get() {
            Some(successor) => wait::until_ok("it ends", || self.or_said(is_gone(successor))),
            None => assert_eq!(self.ended().code(), Some(0), "{}", self.said()),
        }
        assert!(!self.said().contains("panicked at"), "{}", self.said());
    }

    /// Ends it without a word.
    #[track_caller]
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
        self.ended();
    }

    fn ended(&self) -> std::process::ExitStatus {
        let mut child = self.child.borrow_mut().take().expect("it has been started");
        wait::until_ok("it ends", || child.try_wait().expect("a child can be waited for").ok_or("it has not"))
    }

    /// Has another process take over.
    #[track_caller]
    pub fn hand_over(&self) {
        let before = self.said().matches("has taken over").count();
        self.signal(Signal::SIGUSR2);
        wait::until_ok("another one takes over", || {
            self.or_said(self.said().matches("has taken over").count() > before)
        });
        let of =
            |line: &str| line.strip_prefix("unladen: process ")?.split(' ').next()?.parse().ok().map(Pid::from_raw);
        let said = self.said();
        self.successor.set(said.lines().filter(|line| line.contains("has taken over")).filter_map(of).next_back());
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn snapshot(&self) -> PathBuf {
        self.path("shop.snapshot")
    }

    /// The process that serves.
    pub fn process(&self) -> Pid {
        let child = self.child.borrow();
        let own = || child.as_ref().and_then(|child| i32::try_from(child.id()).ok()).map(Pid::from_raw);
        self.successor.get().or_else(own).expect("it runs")
    }

    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill(self.process(), signal).unwrap_or_else(|error| panic!("it has ended already: {error}\n{}", self.said()));
    }

    /// What all of its processes have said.
    pub fn said(&self) -> String {
        fs::read_to_string(self.path("said")).expect("it is text")
    }

    #[track_caller]
    pub fn wait_until_said(&self, words: &str) {
        wait::until_ok(&format!("{words:?} is said"), || self.or_said(self.said().contains(words)));
    }

    fn or_said(&self, is_so: bool) -> Result<(), String> {
        if is_so { Ok(()) } else { Err(self.said()) }
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

    fn here(&self, text: &str) -> String {
        text.replace("DIR", self.folder.path().to_str().expect("its path is text"))
    }
}

/// Ended, and perhaps nobody has waited for it.
fn is_gone(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    kill(process, None).is_err() || stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']))
}

impl Drop for Shop {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.borrow_mut().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let ours = self.path("unladen.toml").display().to_string();
        if let Some(successor) = self.successor.get() {
            // A process id may be another's by now.
            let line = fs::read(format!("/proc/{successor}/cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&ours) {
                let _ = kill(successor, Signal::SIGKILL);
            }
        }
    }
}
