//! [`write_files`]: the lines of a fix as files, for a container's image or another host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unladen_document::Finding;
use unladen_publish::visible_lines;

use crate::exit::Failure;
use crate::fix::Remedy;
use crate::output;

/// Writes each file of the fix under its last name, and what is to be done with them.
pub(super) fn write_files(remedy: &Remedy, folder: &Path) -> Result<(), Failure> {
    let Finding { rule, url, fix, .. } = &remedy.finding;
    if remedy.lines().next().is_none() {
        return remedy.text().and(Err(Failure::CannotMeasure(format!(
            "the fix of finding {} ({rule}) has no lines for a file: {}",
            remedy.number, fix.advice
        ))));
    }
    output::check_folder(folder)?;
    let mut files = BTreeMap::<PathBuf, (&str, &[String])>::new();
    for (file, lines) in remedy.lines() {
        let (path, _) = file.split_once(", ").unwrap_or((file, ""));
        let last = Path::new(path).file_name().map_or("unladen.conf".into(), |name| name.to_string_lossy());
        // Two files of one name are of two places.
        let names = std::iter::once(last.to_string()).chain((2..).map(|same: usize| format!("{same}-{last}")));
        let free = names.map(|name| folder.join(name)).find(|path| !files.contains_key(path));
        files.extend(free.map(|path| (path, (file, lines))));
    }
    // In the folder that the fix is for, these few lines would take the place of a whole file.
    if let Some(there) = files.keys().find(|path| path.symlink_metadata().is_ok()) {
        return Err(Failure::Usage(format!("{} is there already: give --files a folder without it", there.display())));
    }
    let mut text = format!("{rule}: {}\n\n", fix.advice);
    for (path, (file, lines)) in &files {
        output::whole_file(path, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
        text += &format!("{}  belongs into {file}\n", path.display());
    }
    text += &fix.commands.iter().map(|command| format!("$ {command}\n")).collect::<String>();
    text += &format!("\nThen this says what it brought: sudo unladen weigh --against {} {url}", remedy.run);
    Ok(output::line(&visible_lines(&text))?)
}
