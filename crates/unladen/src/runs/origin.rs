//! The principal type is [`Origin`]: where a result comes from, as far as known before anything is measured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unladen_document::{About, Environment, Revision, Software};

use crate::runs::time::{now, rfc3339};

#[derive(Debug, Clone)]
pub(crate) struct Origin {
    about: About,
}

impl Origin {
    /// Looks at the machine, and at the revision of a folder, by default the working folder. This disturbs nothing, as
    /// nothing is measured yet.
    pub(crate) fn new(command: &[String], labels: &[(String, String)], folder: Option<&Path>) -> Self {
        let environment = unladen_machine::Environment::of_this_machine();
        let folder = folder.map(Path::to_owned).or_else(|| std::env::current_dir().ok());
        let about = About {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            host: environment.host.clone(),
            command: command.to_vec(),
            labels: labels.iter().cloned().collect::<BTreeMap<_, _>>(),
            revision: folder.and_then(|folder| revision(&folder)),
            environment: Some(self::environment(environment)),
            ..About::default()
        };
        Self { about }
    }

    /// For measurements of earlier, perhaps elsewhere: this machine and its folders do not matter.
    pub(crate) fn of_file(command: &[String]) -> Self {
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Self { about: About { version, command: command.to_vec(), ..About::default() } }
    }

    /// For results that measure nothing: only the machine's name matters.
    pub(crate) fn of_words(command: &[String]) -> Self {
        let host = unladen_machine::Environment::of_this_machine().host;
        Self { about: About { host, ..Self::of_file(command).about } }
    }

    /// Likewise, for the files of a folder.
    pub(crate) fn of_folder(command: &[String], folder: &Path) -> Self {
        Self { about: About { revision: revision(folder), ..Self::of_words(command).about } }
    }

    pub(crate) fn about(&self) -> About {
        About { time: Some(rfc3339(now())), ..self.about.clone() }
    }

    /// Sets the seed if the result itself does not have it.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.about.seed = Some(seed);
    }

    pub(crate) fn saw(&mut self, executables: &[PathBuf]) {
        let of_document =
            |seen: unladen_machine::Software| Software { name: seen.name, version: seen.version.unwrap_or_default() };
        if let Some(environment) = &mut self.about.environment {
            environment.software = unladen_machine::software_of(executables).into_iter().map(of_document).collect();
        }
    }
}

fn revision(folder: &Path) -> Option<Revision> {
    let found = unladen_machine::Revision::of(folder).ok()?;
    Some(Revision {
        folder: Some(found.folder.display().to_string()),
        commit: Some(found.commit),
        branch: found.branch,
        dirty: found.dirty,
    })
}

fn environment(machine: unladen_machine::Environment) -> Environment {
    Environment {
        kernel: machine.kernel,
        cpu: machine.cpu,
        processors: Some(machine.processors as u64),
        processor_quota: machine.processor_quota,
        virtualisation: machine.virtualisation.to_string().into(),
        memory_bytes: machine.memory_bytes,
        load_1m: machine.load_1m,
        software: Vec::new(),
    }
}

pub(crate) fn headed(mut document: Value, about: &About) -> Value {
    // An `About` serialises to an object, and every document is one.
    if let (Some(fields), Ok(Value::Object(about))) = (document.as_object_mut(), serde_json::to_value(about)) {
        for (name, value) in about {
            fields.entry(name).or_insert(value);
        }
    }
    document
}

#[cfg(test)]
mod tests;
