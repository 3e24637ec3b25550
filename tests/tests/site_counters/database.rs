//! The principal type is [`Database`]: a server of a test's own, or a file, and how it is spoken to.

use std::path::PathBuf;
use std::process::Command;

use crate::servers::{Server, done, free_port};
use crate::session::Session;

/// A server of a test's own, or a file.
pub(crate) enum Database {
    Postgres { server: Server, port: u16 },
    MariaDb { server: Server },
    Sqlite { folder: tempfile::TempDir },
}

impl Database {
    /// Those there are.
    pub(crate) fn each() -> [fn() -> Self; 3] {
        [Self::postgres, Self::mariadb, Self::sqlite]
    }

    pub(crate) fn postgres() -> Self {
        let port = free_port();
        let database = Self::Postgres { server: Server::postgres(port), port };
        database.run("create role validator login; create role app login; create database site");
        database
    }

    pub(crate) fn mariadb() -> Self {
        let database = Self::MariaDb { server: Server::mariadb() };
        database.run(
            "create database site; create user validator@localhost; create user app@localhost;
             grant select, insert, update, delete on site.* to app@localhost",
        );
        database
    }

    pub(crate) fn sqlite() -> Self {
        Self::Sqlite { folder: tempfile::tempdir().expect("a folder for temporary files") }
    }

    /// As docs/concepts/caching.md calls it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Postgres { .. } => "postgresql",
            Self::MariaDb { .. } => "mariadb",
            Self::Sqlite { .. } => "sqlite",
        }
    }

    /// For `database` of a validator.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Postgres { server, port } => {
                format!("postgres:///site?host={}&port={port}&user=validator", server.folder.path().display())
            }
            Self::MariaDb { server } => {
                format!("mysql://validator@localhost/site?socket={}/socket", server.folder.path().display())
            }
            Self::Sqlite { .. } => format!("sqlite:{}", self.file().display()),
        }
    }

    /// How PHP connects, and as whom.
    pub(crate) fn pdo(&self) -> (String, &'static str) {
        match self {
            Self::Postgres { server, port } => {
                (format!("pgsql:host={};port={port};dbname=site", server.folder.path().display()), "app")
            }
            Self::MariaDb { server } => {
                (format!("mysql:unix_socket={}/socket;dbname=site", server.folder.path().display()), "app")
            }
            Self::Sqlite { .. } => (format!("sqlite:{}", self.file().display()), ""),
        }
    }

    fn file(&self) -> PathBuf {
        match self {
            Self::Sqlite { folder } => folder.path().join("site.db"),
            _ => unreachable!("a server has no file"),
        }
    }

    /// A client of the database's own, which is not in the database `site`, where it is one.
    fn client(&self) -> Command {
        match self {
            Self::Postgres { server, port } => {
                let mut psql = Command::new("psql");
                psql.args(["-X", "-q", "-t", "-A", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-h"]);
                psql.arg(server.folder.path()).args(["-p", &port.to_string()]);
                psql
            }
            Self::MariaDb { server } => {
                let mut mariadb = Command::new("mariadb");
                mariadb.args(["--no-defaults", "-N", "-B", "-n", "-S"]).arg(server.folder.path().join("socket"));
                mariadb
            }
            Self::Sqlite { .. } => {
                let mut sqlite = Command::new("sqlite3");
                sqlite.args(["-batch", "-bail"]).arg(self.file());
                sqlite
            }
        }
    }

    fn run(&self, sql: &str) -> String {
        let mut client = self.client();
        match self {
            // Each by itself: in one text it would be one transaction.
            Self::Postgres { .. } => {
                sql.split(';').for_each(|one| _ = client.args(["-c", one]));
                done(client.args(["-d", "postgres"]))
            }
            Self::MariaDb { .. } => done(client.args(["-e", sql])),
            Self::Sqlite { .. } => done(client.arg(sql)),
        }
    }

    /// Runs a script in the database `site`, as its owner, as the client reads it from a file, and returns what it
    /// prints.
    #[track_caller]
    pub(crate) fn script(&self, sql: &str) -> String {
        let file = tempfile::NamedTempFile::new().expect("a file for temporary use");
        std::fs::write(file.path(), sql).expect("a file of our own");
        let mut client = self.client();
        match self {
            Self::Postgres { .. } => done(client.args(["-d", "site", "-f"]).arg(file.path())),
            Self::MariaDb { .. } => done(client.args(["site", "-e"]).arg(format!("source {}", file.path().display()))),
            Self::Sqlite { .. } => done(client.arg(format!(".read {}", file.path().display()))),
        }
    }

    /// A session in the database `site`, as its owner, that lasts.
    pub(crate) fn session(&self) -> Session {
        let mut client = self.client();
        match self {
            Self::Postgres { .. } => Session::new(client.args(["-d", "site"]), "\\echo done"),
            Self::MariaDb { .. } => Session::new(client.arg("site"), "select 'done';"),
            Self::Sqlite { .. } => Session::new(&mut client, ".print done"),
        }
    }

    /// Lets the application have its tables and the validator the counter alone, where there are users.
    pub(crate) fn grant(&self, to_validator: &str) {
        match self {
            Self::Postgres { .. } => _ = self.script(&format!(
                "grant select, insert, update, delete, truncate on posts, comments to app; grant select on {to_validator} to validator;"
            )),
            Self::MariaDb { .. } => _ = self.script(&format!("grant select on site.{to_validator} to validator@localhost;")),
            Self::Sqlite { .. } => {}
        }
    }
}
