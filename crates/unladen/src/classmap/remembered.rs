//! How an existing map was made, as it records it.

use std::path::PathBuf;

use unladen_classmap::{Made, Options, Project, read_whole, reader_named};

use super::place::place;
use super::plain::absolute;
use super::problems::plain_text;
use super::task::Task;
use crate::exit::Failure;
use crate::say::say;

impl Task {
    /// How the existing map was made, if it says so. Fails if its line cannot be read.
    pub(super) fn made(&self) -> Result<Option<Made>, Failure> {
        let Some(file) = self.file() else { return Ok(None) };
        let Ok(source) = read_whole(&file) else { return Ok(None) };
        Ok(Made::read(&source, &file)?)
    }

    /// This task completed by what the map remembers; options given otherwise win and are reported. Fails like
    /// [`Task::made`] if what the map remembers is needed, and if it names an unknown reader.
    pub(super) fn remembered(&self) -> Result<Self, Failure> {
        let mut task = self.clone();
        let (says_nothing, lacks_root) = (self.says_nothing(), self.root.is_none() && self.output.is_some());
        if !says_nothing && !lacks_root {
            return Ok(task);
        }
        let Some(made) = self.made()? else { return Ok(task) };
        if lacks_root {
            task.root = Some(made.root.clone());
        }
        if says_nothing {
            let unknown = || {
                Failure::Usage(format!(
                    "the map was made by the reader `{}`, which this version does not have",
                    made.reader
                ))
            };
            task.reader = Some(reader_named(&made.reader).ok_or_else(unknown)?);
            task.options = Options { anew: self.options.anew, ..made.options };
        }
        Ok(task)
    }

    /// Reports with what an existing map was made, if that differs or cannot be read.
    pub(super) fn tell_otherwise(&self, project: &Project) {
        let now = self.as_made(project);
        let of = |made: &Made| plain_text(&format!("{} of {}", made.words(), made.root.display()));
        match self.made() {
            Ok(Some(made)) if made != now => {
                say!("unladen: the map that is there was made with {}; now it is {}", of(&made), of(&now));
            }
            Ok(_) => {}
            Err(error) => say!("unladen: {}; now it is {}", plain_text(&error.to_string()), of(&now)),
        }
    }

    pub(super) fn as_made(&self, project: &Project) -> Made {
        let options = Options { anew: false, ..project.options().clone() };
        Made { reader: project.reader().name().to_owned(), root: project.root().to_owned(), options }
    }

    /// Whether no option says what is read.
    fn says_nothing(&self) -> bool {
        self.reader.is_none() && self.options == Options { anew: self.options.anew, ..Options::default() }
    }

    fn file(&self) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == "-" => None,
            Some(path) => Some(absolute(path)),
            None => Some(place(&self.root().ok()?)),
        }
    }
}
