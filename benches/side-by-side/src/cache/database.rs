//! The principal type is [`Database`]: a PostgreSQL that knows when pages changed, on the contestants' processor.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::world::World;
use crate::postgres::{finish, made, own};
use crate::rig::listen::Listen;
use crate::rig::process::Processes;
use crate::rig::running::Running;
use crate::{Result, peers};

/// A running one.
pub(super) struct Database {
    folder: PathBuf,
    running: Running,
}

/// Its socket's name ends with this.
const PORT: &str = "5432";

impl Database {
    /// With so many pages, whose numbers begin at 1; none if it cannot be had.
    pub(super) fn start(world: &World, pages: u64) -> Result<Option<Self>> {
        if !peers::has("postgresql") {
            return Ok(None);
        }
        let folder = world.scratch.path("database");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder)?;
        let data = made(&folder)?;
        let mut serve = own("postgres")?;
        serve.arg("-D").arg(&data).arg("-k").arg(&folder).args(["-h", "", "-p", PORT]);
        for setting in ["fsync=off", "jit=off", "autovacuum=off", "log_min_messages=warning"] {
            serve.args(["-c", setting]);
        }
        let socket = Listen::Unix(folder.join(format!(".s.PGSQL.{PORT}")));
        let running = Running::start("database", &world.scratch, |_| Ok(world.pinned(&serve)), &[socket])?;
        let database = Self { folder, running };
        database.ready()?;
        database.sql(&format!(
            "create table page (number int8 primary key, changed timestamptz not null default now());
             insert into page select generate_series(1, {pages}); analyze page"
        ))?;
        Ok(Some(database))
    }

    /// As a configuration of ours names it.
    pub(super) fn url(&self) -> String {
        format!("postgres:///postgres?user=postgres&host={}&port={PORT}", self.folder.display())
    }

    /// Its processes, those of the connections that there are.
    pub(super) fn processes(&self) -> Processes {
        self.running.processes()
    }

    /// It listens before it answers.
    fn ready(&self) -> Result<()> {
        let mut tries = 0;
        while let Err(error) = self.sql("select 1") {
            tries += 1;
            if tries > 100 {
                return Err(error);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Ok(())
    }

    fn sql(&self, sql: &str) -> Result<()> {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-p", PORT, "-h"]).arg(&self.folder);
        finish(command.args(["postgres", "-c", sql]))
    }
}
