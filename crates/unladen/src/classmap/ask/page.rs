//! A script of the application, and how it is asked for. The principal type is [`Page`].

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::exit::Failure;

/// What cannot stand in a request's target as it is.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'`');
/// And in its path.
const IN_PATH: &AsciiSet = &ESCAPED.add(b'?').add(b'%');
/// Folders that a web server serves, rather than the one they are in.
const SERVED: [&str; 6] = ["public", "web", "www", "htdocs", "docroot", "html"];

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// What is served.
    pub(super) folder: PathBuf,
    /// The request's target.
    pub(super) target: String,
    /// As it was typed, for people.
    pub(super) shown: String,
}

impl Page {
    /// `admin/index.php?page=2` in the application's folder.
    ///
    /// # Errors
    /// If there is no such script.
    pub(super) fn of(root: &Path, script: &str) -> Result<Self, Failure> {
        let shown = super::super::problems::plain_text(script);
        let (path, query) = script.split_once('?').map_or((script, None), |(path, query)| (path, Some(query)));
        let path = path.trim_start_matches('/');
        let is_plain = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        // What follows the script is its PATH_INFO.
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let is_there =
            is_plain && ends.into_iter().any(|end| path[..end].ends_with(".php") && root.join(&path[..end]).is_file());
        if !is_there {
            return Err(Failure::Usage(format!(
                "--ask {shown}: a PHP script below {} was expected, such as --ask index.php or --ask 'index.php?page=2'",
                super::super::problems::plain_text(&root.display().to_string())
            )));
        }
        let (folder, path) = match path.split_once('/') {
            Some((first, rest)) if SERVED.contains(&first) => (root.join(first), rest),
            _ => (root.to_owned(), path),
        };
        let query = query.map_or_else(String::new, |query| format!("?{}", utf8_percent_encode(query, ESCAPED)));
        Ok(Self { folder, target: format!("/{}{query}", utf8_percent_encode(path, IN_PATH)), shown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_asked_for_below_what_is_served_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("public")).unwrap();
        for file in ["a b.php", "public/index.php", "notes.txt"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        let page = |script: &str| Page::of(root, script).map(|page| (page.folder, page.target));
        assert_eq!(
            page("a b.php?x=1 2\r\nHost: y").unwrap(),
            (root.to_owned(), "/a%20b.php?x=1%202%0D%0AHost:%20y".into())
        );
        assert_eq!(page("public/index.php/a").unwrap(), (root.join("public"), "/index.php/a".into()));
        for wrong in ["", "none.php", "notes.txt", "../a b.php", "public/../a b.php", "public"] {
            assert!(page(wrong).unwrap_err().to_string().contains("a PHP script below"), "{wrong}");
        }
    }
}
