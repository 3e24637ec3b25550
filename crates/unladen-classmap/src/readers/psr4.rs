//! A list of PSR-4 prefixes and folders from the command line: for an application with an unknown loader.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::ByteSlice;

use super::path::plain;
use super::{Options, Reader};
use crate::{Application, Loader, Problem, Rule};

#[derive(Debug)]
pub(super) struct Psr4;

impl Reader for Psr4 {
    fn name(&self) -> &'static str {
        "psr4"
    }

    fn about(&self) -> &'static str {
        "prefixes and folders from the command line: --psr4 'App\\=src'"
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let mut application = Application {
            switch_on: vec![
                "after the application has registered its own loader: require '…/unladen-classmap.php';".to_owned(),
                "or before all of its code, if its loader does not register itself first: auto_prepend_file".to_owned(),
            ],
            ..Application::default()
        };
        add(&mut application, root, options);
        Ok(application)
    }
}

/// Adds the command line's list as a loader, which is asked last.
pub(crate) fn add(application: &mut Application, root: &Path, options: &Options) {
    let mut prefixes: Vec<(bstr::BString, Vec<std::path::PathBuf>)> = Vec::new();
    for (prefix, folder) in &options.psr4 {
        let folder = plain(root.join(folder).as_os_str().as_bytes());
        if !folder.is_dir() {
            let what = format!("no such folder: --psr4 '{prefix}=…'");
            application.problems.push(Problem::of(&folder, what));
        }
        // The trailing `\` that the standard wants is often left out.
        let mut prefix = prefix.trim_start_with(|letter| letter == '\\').to_vec();
        if !prefix.is_empty() && !prefix.ends_with(b"\\") {
            prefix.push(b'\\');
        }
        match prefixes.iter_mut().find(|(known, _)| *known == prefix) {
            Some((_, folders)) => folders.push(folder),
            None => prefixes.push((prefix.into(), vec![folder])),
        }
    }
    if !prefixes.is_empty() {
        let rule = Rule::Psr4 { origin: "the command line".into(), prefixes };
        application.loaders.push(Loader { name: "--psr4".to_owned(), rules: vec![rule], ..Loader::default() });
    }
}
