//! The principal type is [`FileKnob`]: content or absence of a file.

use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use similar::TextDiff;
use unladen_toml::{Bad, Problem, Table};

use crate::error::Fault;
use crate::knob::{Knob, Switch};
use crate::original::{Content, Original, read_now};
use crate::read::{Given, Kind, Reading, Side};
use crate::saver::Saver;
use crate::undo::Undo;

pub(super) const KIND: Kind = Kind {
    key: "file",
    with: &["text", "from", "absent"],
    summary: "writes a text or the content of another file into a file, or removes it",
    read,
};

fn read(table: &Table<'_>, _side: &Side, reading: &Reading<'_>) -> Result<Given, Bad> {
    let path = reading.path(&table.require(KIND.key, "the file")?)?;
    let why = "a file has one content; choose one";
    table.either("text", "from", why)?;
    table.either("text", "absent", why)?;
    table.either("from", "absent", why)?;
    let content = if let Some(text) = table.get("text") {
        Content::Bytes(text.text()?.as_bytes().to_vec())
    } else if let Some(from) = table.get("from") {
        Content::Bytes(reading.file(&from)?.1)
    } else {
        let expected = "the file's content: `text`, `from` (another file) or `absent = true`";
        let absent = table.get("absent").ok_or_else(|| table.missing("text", expected))?;
        if !absent.flag()? {
            return Err(absent.refuse("false", "true; or leave the side out to keep the original"));
        }
        Content::Absent
    };
    if path.file_name().is_none() {
        let problem =
            Problem::Value { key: "file".into(), value: path.display().to_string(), expected: "a file".into() };
        return Err(problem.at(table.span()));
    }
    Ok(Given::File { path, content })
}

/// Content or absence of a file.
#[derive(Clone, Debug)]
pub struct FileKnob {
    pub path: PathBuf,
    /// Content with the knob off and on; the original where not given.
    pub sides: [Option<Content>; 2],
}

// === impl FileKnob ===

impl FileKnob {
    /// A missing folder is a typing error: if it were created for the file, nothing would read it, and the experiment
    /// would find no difference.
    fn can_write(&self) -> Result<(), Fault> {
        let file = self.path.canonicalize();
        let path = file.as_deref().unwrap_or(&self.path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let refuse = |is: String, instead| Err(Fault::Unsafe { path: self.path.clone(), is, instead });
        if !folder.is_dir() {
            let is = format!("in {}, which does not exist", folder.display());
            return refuse(is, "name a file in an existing folder, or create the folder");
        }
        match access(folder, AccessFlags::W_OK | AccessFlags::X_OK) {
            Ok(()) => Ok(()),
            Err(error) => {
                let is = format!("in {}, which is not writable ({})", folder.display(), error.desc());
                refuse(is, "run as a user that may write there, perhaps root")
            }
        }
    }
}

impl Knob for FileKnob {
    fn what(&self) -> String {
        format!("the file {}", self.path.display())
    }

    fn preview(&self, on: bool) -> Vec<String> {
        let Some(side) = &self.sides[usize::from(on)] else { return Vec::new() };
        // Behind a link of another user there may be a secret.
        if self.path.is_symlink() {
            return vec![self.what()];
        }
        // What is not there, or not to be, is an empty file.
        let before = read_now(&self.path);
        let after = match side {
            Content::Bytes(bytes) => Some(bytes),
            Content::Absent => None,
        };
        let text = |bytes: Option<&Vec<u8>>| String::from_utf8_lossy(bytes.map_or(&[], |bytes| bytes)).into_owned();
        let name = |bytes: Option<&Vec<u8>>| match bytes {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (text(before.as_ref()), text(after));
        let diff = TextDiff::from_lines(&old, &new);
        let diff = diff.unified_diff().header(&name(before.as_ref()), &name(after)).to_string();
        diff.lines().map(str::to_owned).collect()
    }

    fn claims(&self) -> Vec<String> {
        vec![self.what()]
    }

    fn has(&self, on: bool) -> bool {
        self.sides[usize::from(on)].is_some()
    }

    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        // Removal switches the link itself; writing goes to its target.
        let takes_away = self.sides.contains(&Some(Content::Absent));
        let original = Original::save(&self.path, takes_away, saver)?;
        let writes = self.sides.iter().flatten().any(|content| *content != Content::Absent);
        if original.was_link() && writes {
            return Err(Fault::Unsafe {
                path: self.path.clone(),
                is: "a symbolic link".into(),
                instead: "the knob would write to its target and remove the link; name the target",
            });
        }
        if writes {
            self.can_write()?;
        }
        Ok(Undo::Files(vec![original.holding(self.sides.iter().flatten(), saver)?]))
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
