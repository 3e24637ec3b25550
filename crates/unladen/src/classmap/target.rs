//! What is written, and where. The principal type is [`Text`].

use std::path::{Path, PathBuf};

use unladen_classmap::{Project, emit, read_whole};

use super::emit::Emit;
use super::place::{is_kept, make_folder, open_for_all, place};
use super::plain::absolute;
use super::task::Task;
use crate::exit::Failure;
use crate::headed::headed;
use crate::output::{self, OutputError};

/// A file (`None`: standard output) and its content.
pub(super) type Text = (Option<PathBuf>, Vec<u8>);

impl Task {
    /// The map's file; `None` for standard output.
    pub(super) fn target(&self, project: &Project) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == "-" => None,
            Some(path) => Some(absolute(path)),
            None if self.emit == Emit::Json => None,
            None => Some(place(project.root())),
        }
    }

    /// Fails if the named file cannot be written: checked before everything is read.
    pub(super) fn check_target(&self) -> Result<(), OutputError> {
        match &self.output {
            Some(path) if path.as_os_str() != "-" && !is_kept(path) => output::check(path),
            _ => Ok(()),
        }
    }

    pub(super) fn texts(&self, project: &Project) -> Result<Vec<Text>, Failure> {
        let target = self.target(project);
        Ok(match self.emit {
            Emit::Php => {
                let place = target.clone().unwrap_or_else(|| place(project.root()));
                vec![(target, emit::php_made(&project.map, &place, project.root(), &self.as_made(project)))]
            }
            Emit::Json => {
                let document = emit::json(&project.map, &project.application, project.root());
                // A file kept with the application stays as it is until a class changes.
                let document = if target.is_none() { headed(document, &self.about(project)) } else { document };
                vec![(target, format!("{document:#}\n").into_bytes())]
            }
            Emit::Composer => self.composer(project)?,
        })
    }

    /// Composer's own files, at their usual places.
    fn composer(&self, project: &Project) -> Result<Vec<Text>, Failure> {
        if self.output.is_some() {
            let what = "--emit composer writes into the project's vendor/composer: leave out --output";
            return Err(Failure::Usage(what.to_owned()));
        }
        if project.reader().name() != "composer" {
            let what = "--emit composer is for what Composer loads: name the folder with its composer.json";
            return Err(Failure::Usage(format!("{}: {what}", project.root().display())));
        }
        let texts = emit::composer(&project.map, project.root())?;
        Ok(texts.into_iter().map(|(path, text)| (Some(path), text)).collect())
    }
}

/// Writes what differs from the existing files, atomically. Returns whether anything did.
pub(super) fn write(texts: &[Text]) -> Result<bool, OutputError> {
    let mut written = false;
    for (path, text) in texts {
        let Some(path) = path else {
            output::bytes(text)?;
            written = true;
            continue;
        };
        // An unchanged file keeps its mtime, and PHP's opcode cache keeps it.
        if !is(path, text) {
            make_folder(path).map_err(|error| OutputError::new(path, error))?;
            output::whole_file(path, |out| out.write_all(text))?;
            open_for_all(path).map_err(|error| OutputError::new(path, error))?;
            written = true;
        }
    }
    Ok(written)
}

fn is(path: &Path, text: &[u8]) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() == text.len() as u64)
        && read_whole(path).is_ok_and(|there| there == text)
}
