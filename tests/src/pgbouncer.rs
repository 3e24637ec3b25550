//! The principal type is [`PgBouncer`]: a pooler of transactions in front of a PostgreSQL server of a test's own.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::port::free_port;
use crate::{Postgres, wait};

/// PgBouncer in transaction mode on 127.0.0.1. It ends when this is dropped.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    port: u16,
    _folder: TempDir,
}

// === impl PgBouncer ===

impl PgBouncer {
    /// In front of this server, for its role `asker`. It lends its sessions in turn, so that whoever asks a few times sees
    /// all of them. `ignored`: the parameters of a session that it leaves out without a word, besides one of psql's.
    ///
    /// # Panics
    /// If Debian's package is missing (`scripts/test` installs it), or it does not come up.
    pub fn start(postgres: &Postgres, ignored: &str) -> Self {
        let (folder, port, server) =
            (tempfile::tempdir().expect("a temporary folder"), free_port(), postgres.address());
        let users = folder.path().join("users.txt");
        std::fs::write(&users, "\"asker\" \"right\"\n").expect("a file of our own");
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = plain\nauth_file = {}\npool_mode = transaction\n\
             server_round_robin = 1\nignore_startup_parameters = extra_float_digits{ignored}\n",
            server.ip(),
            server.port(),
            users.display()
        );
        std::fs::write(&settings, text).expect("a file of our own");
        let done = Command::new("chown").args(["-R", "postgres"]).arg(folder.path()).status().expect("chown");
        assert!(done.success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--pdeathsig", "KILL", "--"]);
        command.arg("/usr/sbin/pgbouncer").arg(&settings).current_dir("/");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("setpriv");
        let bouncer = Self { child, port, _folder: folder };
        wait::until_ok("PgBouncer comes up: scripts/test installs it", || TcpStream::connect(bouncer.address()));
        bouncer
    }

    /// As `asker`.
    pub fn url(&self) -> String {
        format!("postgres://asker:right@{}/postgres", self.address())
    }

    /// What comes of a statement, by psql.
    ///
    /// # Panics
    /// If it fails.
    pub fn ask(&self, sql: &str) -> String {
        let done = Command::new("psql").arg(self.url()).args(["-XAtc", sql]).output().expect("psql");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
