//! The principal type is [`Nginx`]: a real server behind `unladen serve`, with TLS and HTTP/2 if it is to.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::port::free_address;
use crate::wait;

/// nginx in one process, with one server block. It ends when this is dropped.
#[derive(Debug)]
pub struct Nginx {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Nginx {
    /// With these directives in its server block, and these files in its folder. `LISTEN` stands for its address.
    ///
    /// # Panics
    /// With what it said, if it does not come up.
    pub fn start(server: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file of our own");
        }
        let address = free_address();
        let server = server.replace("LISTEN", &format!("listen {address}"));
        let config = format!(
            "daemon off; master_process off; pid nginx.pid; error_log errors.log;
             events {{ worker_connections 1000; }}
             http {{
                 access_log requests.log;
                 client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                 uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                 server {{ {server} }}
             }}"
        );
        std::fs::write(folder.path().join("nginx.conf"), config).expect("a file of our own");
        let child = run(folder.path());
        let mut nginx = Self { child, address, folder };
        nginx.wait_until_up();
        nginx
    }

    /// Without TLS.
    pub fn plain(server: &str) -> Self {
        Self::start(&format!("LISTEN; {server}"), &[])
    }

    fn wait_until_up(&mut self) {
        wait::until_ok("nginx comes up", || {
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "nginx ends: {}", self.file("errors.log"));
            TcpStream::connect(self.address)
        });
    }

    /// Kills it, with whatever is under way.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be waited for");
    }

    /// Starts it again at the same address.
    pub fn restart(&mut self) {
        self.child = run(self.folder.path());
        self.wait_until_up();
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a file in its folder holds: `requests.log`, `errors.log`.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Its log of requests, once it has so many lines: a line is written when the answer has gone out. After some time,
    /// whatever it has.
    pub fn requests(&self, lines: usize) -> String {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let log = self.file("requests.log");
            if log.lines().count() >= lines || Instant::now() > end {
                return log;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(folder: &Path) -> Child {
    // The parent is this thread, which a panic ends too.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "nginx", "-e", "errors.log", "-c", "nginx.conf", "-p"]).arg(folder);
    let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    command.env("PATH", path).stdin(Stdio::null()).spawn().expect("setpriv")
}
