//! `unladen serve`, in front.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::contestant::{Contestant, Place};
use crate::Result;

/// The program at a path; of several that are compared, each goes by its path.
pub(super) struct Ours {
    pub(super) name: String,
    pub(super) program: PathBuf,
}

impl Contestant for Ours {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn command(&self, place: &Place<'_>, folder: &Path) -> Result<Command> {
        let path = folder.join("unladen.toml");
        fs::write(&path, config(place))?;
        let mut command = Command::new(&self.program);
        command.args(["serve", "--config"]).arg(path);
        Ok(command)
    }

    fn is_ours(&self) -> bool {
        true
    }
}

/// As little as a user has to write.
fn config(place: &Place<'_>) -> String {
    let Place { listen, origin, memory, more, .. } = place;
    let tls = place.tls.map_or_else(String::new, |certificates| {
        let (certificate, key) = (certificates.certificate.display(), certificates.key.display());
        format!("tls = {{ cert = \"{certificate}\", key = \"{key}\" }}\n")
    });
    format!(
        "threads = 1\n\n[[site]]\nlisten = \"127.0.0.1:{listen}\"\nupstream = \"http://127.0.0.1:{origin}\"\n{tls}\n\
         [site.cache]\nmemory = {memory}\n{more}"
    )
}
