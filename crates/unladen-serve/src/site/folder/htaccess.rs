//! [`Folder::told_by_htaccess`]: what each `.htaccess` below a root refuses, and what becomes of that here.

use std::fmt::Write as _;

use unladen_files::{Denial, HtaccessSeen};

use super::Folder;

/// Findings on the `.htaccess` files below a root, a sentence each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToldByHtaccess {
    /// Refused here as by Apache.
    pub(crate) notes: Vec<String>,
    /// Answered otherwise by Apache.
    pub(crate) doubts: Vec<String>,
}

impl Folder {
    pub(crate) fn told_by_htaccess(&self) -> ToldByHtaccess {
        let walk = self.root.each_htaccess(&self.rules);
        let mut told = ToldByHtaccess::default();
        for seen in &walk.seen {
            self.tell(seen, &mut told);
        }
        if walk.is_cut {
            told.doubts.push(format!(
                "{}: it has more files or more `.htaccess` than are looked at here; the rest is not listed, and the same \
                 rules hold for it",
                self.root.path().display()
            ));
        }
        told
    }

    fn tell(&self, seen: &HtaccessSeen, told: &mut ToldByHtaccess) {
        let file = seen.file.display();
        let path = seen.path.as_deref().map(|path| {
            let whole = [&*self.alias, path].concat();
            String::from_utf8_lossy(&whole).into_owned()
        });
        let route = match &path {
            Some(path) => format!("a [[site.route]] with `path = {path:?}`"),
            None => "a [[site.route]] with the `path` that leads there".to_owned(),
        };
        if seen.is_open {
            told.doubts
                .push(format!("{file}: `files.allow` opens its folder, so `serve` heeds nothing that it refuses"));
            return;
        }
        match seen.folder {
            Some(Denial::All(line)) => {
                let mut text = format!("{file}: line {line} refuses its folder, and so does `serve`: 403");
                if let Some(open) = opened(seen) {
                    // Writing to a String does not fail.
                    let _ = write!(text, "; {open}");
                }
                told.notes.push(text);
            }
            Some(Denial::Some(line)) => told.doubts.push(format!(
                "{file}: line {line} lets Apache send its folder to some clients alone, and `serve` answers 403 to all; \
                 {route} and `access` does it, with `files.allow` for that path"
            )),
            Some(Denial::Unread) => told.doubts.push(format!(
                "{file}: it cannot be read, or is longer than 64 KiB, so `serve` answers 403 for all in its folder; give \
                 this process's user the right to read it"
            )),
            None => (),
        }
        for (names, denial) in &seen.files {
            match denial {
                Denial::All(line) => told.notes.push(format!(
                    "{file}: line {line} refuses files that are like {names:?}, and so does `serve`: 403"
                )),
                Denial::Some(line) => told.doubts.push(format!(
                    "{file}: line {line} lets Apache send files that are like {names:?} to some clients alone, and \
                     `serve` answers 403 to all; {route} and `access` does it, with `files.allow` for those files"
                )),
                Denial::Unread => (),
            }
        }
        let below = path.as_ref().map(|path| format!(", below {path:?}")).unwrap_or_default();
        for (line, text) in &seen.unclear {
            told.doubts.push(format!(
                "{file}: line {line}, {text:?}, may refuse something, and `serve` does not heed it; a [[site.route]] for what \
                 it refuses{below}, with `status = 403` or `access`, does"
            ));
        }
    }
}

/// Text on how many sections of a refused folder name files that are sent.
fn opened(seen: &HtaccessSeen) -> Option<String> {
    match seen.granted {
        0 => None,
        1 => Some("one section of it lets some files through, here too".to_owned()),
        count => Some(format!("{count} sections of it let some files through, here too")),
    }
}

#[cfg(test)]
mod tests;
