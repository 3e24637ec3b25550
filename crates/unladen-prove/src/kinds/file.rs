//! The principal type is [`FileKnob`]: what a file holds, or whether there is one.

use std::path::PathBuf;

use crate::fault::Fault;
use crate::knob::{Knob, Switch};
use crate::original::{Content, Original};
use crate::saver::Saver;
use crate::undo::Undo;

/// What a file holds, or whether there is one.
#[derive(Clone, Debug)]
pub struct FileKnob {
    /// The file.
    pub path: PathBuf,
    /// What it holds with the knob off and on; as it was where that is not given.
    pub sides: [Option<Content>; 2],
}

impl Knob for FileKnob {
    fn what(&self) -> String {
        format!("the file {}", self.path.display())
    }

    fn claim(&self) -> Option<String> {
        Some(self.what())
    }

    fn has(&self, on: bool) -> bool {
        self.sides[usize::from(on)].is_some()
    }

    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        // To take a link away is to switch the link; to write is to write behind it.
        let takes_away = self.sides.contains(&Some(Content::Absent));
        let original = Original::save(&self.path, takes_away, saver)?;
        let writes = self.sides.iter().flatten().any(|content| *content != Content::Absent);
        if original.was_link() && writes {
            return Err(Fault::Unsafe {
                path: self.path.clone(),
                is: "a symbolic link".into(),
                instead: "the knob would both write behind it and remove it; name the file behind it",
            });
        }
        Ok(Undo::Files(vec![original]))
    }

    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        let Undo::Files(files) = switch.undo else { return Ok(()) };
        for original in files {
            match &self.sides[usize::from(on)] {
                Some(content) => original.write(content)?,
                None => original.restore(switch.journal).map(drop)?,
            }
        }
        Ok(())
    }
}
