//! Puts generated tables into a document, between the markers `<!-- begin NAME -->` and `<!-- end NAME -->`.

use std::path::{Path, PathBuf};

/// A table could not be put into the document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{} has no lines `<!-- begin {name} -->` and `<!-- end {name} -->`", .path.display())]
    NoPlace { path: PathBuf, name: String },
}

/// `tables.md` of this crate.
pub fn default_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tables.md")
}

/// Replaces what stands between the markers of `name`.
pub fn put(path: &Path, name: &str, text: &str) -> Result<(), DocumentError> {
    let file = |source| DocumentError::File { path: path.to_owned(), source };
    let document = std::fs::read_to_string(path).map_err(file)?;
    let replaced = replace(&document, name, text)
        .ok_or_else(|| DocumentError::NoPlace { path: path.to_owned(), name: name.to_owned() })?;
    std::fs::write(path, replaced).map_err(file)
}

fn replace(document: &str, name: &str, text: &str) -> Option<String> {
    let begin = format!("<!-- begin {name} -->\n");
    let end = format!("<!-- end {name} -->");
    let from = document.find(&begin)? + begin.len();
    let to = from + document[from..].find(&end)?;
    Some(format!("{}{}\n{}", &document[..from], text.trim_end(), &document[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let document = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n";
        let once = replace(document, "x", "new\n").unwrap();
        assert_eq!(once, "a\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n");
        assert_eq!(replace(&once, "x", "new"), Some(once.clone()));
        assert_eq!(replace(document, "y", "new"), None);
    }
}
