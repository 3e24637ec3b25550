//! The loader that Composer has written: [`vendor`].

mod flags;
mod lists;
mod source;
mod vendor_loader;

use std::path::Path;

use crate::{Problem, Rule};
pub(crate) use flags::Flags;
use lists::Lists;
use source::source;
pub(crate) use vendor_loader::VendorLoader;

pub(crate) fn is_dumped(vendor: &Path) -> bool {
    vendor.join("composer/autoload_real.php").is_file()
}

/// The loader that Composer has written; `name` is the folder's name for people. Fails if it is missing or unreadable.
pub(crate) fn vendor(vendor: &Path, name: &str) -> Result<VendorLoader, Problem> {
    // PHP's `__DIR__` has no links.
    let folder = vendor.join("composer");
    let folder = folder
        .canonicalize()
        .map_err(|error| Problem::of(folder, format!("it can't be read: {error}; run composer install")).hiding())?;
    let real = folder.join("autoload_real.php");
    let source = source(&real)?;
    let flags = Flags::of(&source);
    let mut found = VendorLoader { prepends: flags.prepends, inputs: vec![real.clone()], ..VendorLoader::default() };
    found.loader.name = format!("Composer ({name})");
    if flags.include_path && !flags.authoritative {
        let what = "it asks PHP's include_path too (use-include-path), which is not followed: it can be told only in the running PHP";
        found.problems.push(Problem::of(&real, what).hiding());
    }
    if flags.target_dir {
        let what = "it has a loader for the project's `target-dir`, which is not followed: move those classes";
        found.problems.push(Problem::of(&real, what).hiding());
    }
    let lists =
        if flags.is_static { Lists::of_static(&folder, &mut found)? } else { Lists::of_files(&folder, &mut found)? };
    if !lists.classes.is_empty() {
        found.loader.rules.push(Rule::List { origin: lists.classes_in, classes: lists.classes });
    }
    if !flags.authoritative {
        if !lists.psr4.is_empty() {
            found.loader.rules.push(Rule::Psr4 { origin: lists.psr4_in, prefixes: lists.psr4 });
        }
        if !lists.psr0.is_empty() {
            found.loader.rules.push(Rule::Psr0 { origin: lists.psr0_in, prefixes: lists.psr0 });
        }
    }
    Ok(found)
}
