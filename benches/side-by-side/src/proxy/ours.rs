//! `unladen serve`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::peer::Peer;
use super::route::Plan;
use crate::Result;

/// The program at a path; of several that are compared, each goes by its path.
pub(super) struct Ours {
    pub(super) name: String,
    pub(super) program: PathBuf,
}

impl Peer for Ours {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn command(&self, plan: &Plan, folder: &Path) -> Result<Command> {
        let path = folder.join("unladen.toml");
        fs::write(&path, config(plan))?;
        let mut command = Command::new(&self.program);
        command.args(["serve", "--config"]).arg(path);
        Ok(command)
    }

    fn way(&self) -> (String, Option<(&'static str, PathBuf)>) {
        ("unladen".into(), Some(("UNLADEN", self.program.clone())))
    }

    fn is_ours(&self) -> bool {
        true
    }
}

/// As little as a user has to write, and the bound of idle clients beyond the longest case.
fn config(plan: &Plan) -> String {
    let mut text = String::from("threads = 1\n");
    for route in &plan.routes {
        let upstream = route.upstream;
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "\n[[outbound]]\nname = \"{}\"\nlisten = \"{}\"\nupstream = \"{}://127.0.0.1:{}\"\n",
            route.name,
            route.listen,
            upstream.scheme(),
            upstream.port,
        );
        if upstream.tls {
            let _ = writeln!(text, "ca = \"{}\"", plan.ca());
        }
    }
    text
}
