//! What a map says of how it was made.

use std::path::PathBuf;

use unladen_classmap::{Made, Options, Project, read_whole, reader_named};

use super::place::place;
use super::plain::absolute;
use super::problems::plain_text;
use super::task::Task;
use crate::exit::Failure;
use crate::say::say;

impl Task {
    /// How the map that is there was made, if it says so.
    ///
    /// # Errors
    /// If its line cannot be read.
    pub(super) fn made(&self) -> Result<Option<Made>, Failure> {
        let Some(file) = self.file() else { return Ok(None) };
        let Ok(source) = read_whole(&file) else { return Ok(None) };
        Ok(Made::read(&source, &file)?)
    }

    /// The same task with what the map remembers, as far as nothing else was said; what was said otherwise is told.
    ///
    /// # Errors
    /// As [`Task::made`], unless what it remembers is not asked for; if it remembers a reader that there is not.
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

    /// Tells what a map that is there was made with, if this one is made with something else, or if it cannot be read.
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

    /// How a map is made by this task.
    pub(super) fn as_made(&self, project: &Project) -> Made {
        let options = Options { anew: false, ..project.options().clone() };
        Made { reader: project.reader().name().to_owned(), root: project.root().to_owned(), options }
    }

    /// Whether nothing was said of what is read.
    fn says_nothing(&self) -> bool {
        self.reader.is_none() && self.options == Options { anew: self.options.anew, ..Options::default() }
    }

    /// The file of the PHP map.
    fn file(&self) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == "-" => None,
            Some(path) => Some(absolute(path)),
            None => Some(place(&self.root().ok()?)),
        }
    }
}
