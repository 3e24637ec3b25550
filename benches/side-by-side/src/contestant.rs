//! The principal type is [`Contestant`]: a program that serves, of the table contestants/servers.toml.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::program::{Origin, contestants, finish, table};
use crate::running::{Listen, Running};
use crate::scratch::ScratchFolder;
use crate::template::render;
use crate::{Result, children};

/// What is known of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    program: String,
    from: Origin,
    #[serde(default)]
    path: String,
    config: Option<String>,
    arguments: Vec<String>,
    #[serde(default)]
    environment: Vec<String>,
    #[serde(default)]
    prepare: Vec<Vec<String>>,
    user: Option<String>,
    single: Option<Vec<String>>,
    #[serde(default = "yes")]
    tls: bool,
    #[serde(default = "yes")]
    bounded: bool,
    #[serde(default)]
    values: serde_json::Map<String, Value>,
    variable: Option<String>,
    url: Option<String>,
}

fn yes() -> bool {
    true
}

/// The table: what is known of programs, and the rows of each bench, which have that and more.
#[derive(Deserialize)]
struct Servers {
    program: BTreeMap<String, toml::Table>,
    bench: BTreeMap<String, Vec<toml::Table>>,
}

impl Servers {
    fn entries(&self, bench: &str) -> Result<Vec<Entry>> {
        let entry = |row: &toml::Table| {
            let program = row.get("program").and_then(|name| self.program.get(name.as_str()?));
            let mut entry = program.ok_or_else(|| format!("a server without a program: {row:?}"))?.clone();
            entry.extend(row.clone());
            Ok(entry.try_into()?)
        };
        self.bench.get(bench).into_iter().flatten().map(entry).collect()
    }
}

/// One that can be had.
#[derive(Debug, Clone)]
pub(crate) struct Contestant {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    entry: Entry,
}

/// How it is started, beside what it is told.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Manner {
    /// On this processor alone.
    pub(crate) processor: Option<usize>,
    /// As one process under callgrind, which writes into `out.…` in the folder of what it reads.
    pub(crate) is_counted: bool,
}

impl Contestant {
    /// All of a bench that can be had, or those that are named: programs, and paths of ours.
    pub(crate) fn all(bench: &str, named: &[String]) -> Result<Vec<Self>> {
        let entries = table::<Servers>("servers.toml")?.entries(bench)?;
        let mut all = Vec::new();
        for path in named.iter().filter(|name| name.contains('/')) {
            for entry in entries.iter().filter(|entry| entry.from == Origin::Ours) {
                let name = entry.name.replace("unladen", path);
                all.push(Self { name, program: path.into(), entry: entry.clone() });
            }
        }
        for entry in &entries {
            if (named.is_empty() || named.contains(&entry.program))
                && let Some(path) = entry.from.path(&entry.program, &entry.path)
            {
                all.push(Self { name: entry.name.clone(), program: path, entry: entry.clone() });
            }
        }
        if all.is_empty() {
            let mut known: Vec<_> = entries.iter().map(|entry| entry.program.as_str()).collect();
            known.dedup();
            return Err(format!("there are {}, and paths of unladen", known.join(", ")).into());
        }
        Ok(all)
    }

    /// The one of this name that stands behind others.
    pub(crate) fn service(name: &str) -> Result<Self> {
        let all = Self::all("service", &[name.to_owned()])?;
        all.into_iter().next().ok_or_else(|| format!("it takes {name}").into())
    }

    /// Whether it is what the bounds are of.
    pub(crate) fn is_ours(&self) -> bool {
        self.entry.from == Origin::Ours
    }

    /// Whether the bounds are of it, of several ways of ours.
    pub(crate) fn is_bounded(&self) -> bool {
        self.is_ours() && self.entry.bounded
    }

    pub(crate) fn speaks_tls(&self) -> bool {
        self.entry.tls
    }

    /// Whether callgrind can follow it.
    pub(crate) fn can_be_counted(&self) -> bool {
        self.entry.single.is_some()
    }

    /// What tells `subjects/sidecar` where its program is.
    pub(crate) fn variable(&self) -> Option<&str> {
        self.entry.variable.as_deref()
    }

    /// How others name it that is at this port, or in the folder in which it was started.
    pub(crate) fn url(&self, port: u16, scratch: &ScratchFolder) -> Result<String> {
        let values = json!({ "port": port, "folder": self.folder(scratch) });
        render(self.entry.url.as_deref().ok_or("it has no URL")?, &values, &contestants)
    }

    /// Where it finds what it reads.
    pub(crate) fn folder(&self, scratch: &ScratchFolder) -> PathBuf {
        // nginx takes no spaces.
        scratch.path(&format!("run-{}", self.name.replace(['/', ',', ' '], "-")))
    }

    /// Starts it, told these values; returns when all its listeners are there.
    pub(crate) fn start(
        &self,
        scratch: &ScratchFolder,
        told: &Value,
        listens: &[Listen],
        manner: Manner,
    ) -> Result<Running> {
        let folder = self.folder(scratch);
        let running = Running::prepare(&self.name, &folder, listens)?;
        let command = self.command(&folder, running.unique(), told, manner)?;
        running.start(&command, listens)
    }

    fn command(&self, folder: &Path, unique: &str, told: &Value, manner: Manner) -> Result<Command> {
        let entry = &self.entry;
        let config = folder.join(entry.config.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or("none"));
        // As a service it may be run by root, whose worker then reads what root wrote; others need say nothing.
        let user = nix::unistd::geteuid().is_root().then_some("root");
        let mut values = json!({
            "folder": folder, "config": config, "unique": unique, "user": user, "beside": self.program.parent(),
        });
        if let (Some(values), Some(told)) = (values.as_object_mut(), told.as_object()) {
            values.extend(told.clone());
            values.extend(entry.values.clone());
        }
        let put_in = |text: &String| render(text, &values, &contestants);
        if let Some(name) = &entry.config {
            std::fs::write(&config, put_in(&contestants(name)?)?)?;
        }
        for line in &entry.prepare {
            let line = line.iter().map(put_in).collect::<Result<Vec<_>>>()?;
            let (program, arguments) = line.split_first().ok_or("there is nothing to run")?;
            finish(self.as_user(program).args(arguments))?;
        }
        let mut command = self.as_user(&self.program.to_string_lossy());
        for argument in &entry.arguments {
            command.arg(put_in(argument)?);
        }
        if manner.is_counted {
            command.args(entry.single.iter().flatten());
            let mut counted = Command::new("valgrind");
            counted.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}/out.%p", folder.display()));
            command = children::behind(counted, &command);
        }
        if !entry.environment.is_empty() {
            let mut env = Command::new("env");
            env.args(entry.environment.iter().map(put_in).collect::<Result<Vec<_>>>()?);
            command = children::behind(env, &command);
        }
        if let Some(processor) = manner.processor {
            let mut pinned = Command::new("taskset");
            pinned.args(["-c", &processor.to_string()]);
            command = children::behind(pinned, &command);
        }
        Ok(command)
    }

    /// A program, as somebody else than root if it is to be.
    fn as_user(&self, program: &str) -> Command {
        let Some(user) = self.entry.user.as_ref().filter(|_| nix::unistd::geteuid().is_root()) else {
            return Command::new(program);
        };
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups", "--"]).arg(program);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_understood_and_its_template_is_there() {
        let servers = table::<Servers>("servers.toml").unwrap();
        for bench in servers.bench.keys() {
            for entry in servers.entries(bench).unwrap() {
                let template = entry.config.map(|name| contestants(&name).unwrap()).unwrap_or_default();
                let begun = template.matches("{{#").count() + template.matches("{{^").count();
                assert_eq!(begun, template.matches("{{/").count(), "{}", entry.name);
            }
        }
    }
}
