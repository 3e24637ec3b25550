//! MediaWiki: its AutoLoader, its extensions and skins, and their Composer loaders. The principal type is
//! [`MediaWiki`].
//!
//! What its code does, from release 1.25 to 1.45:
//!
//! - `includes/AutoLoader.php` finds a class in the list of `autoload.php`; then among the classes that extensions
//!   list, of which the first to register one keeps it; then in the folder of the longest namespace, where a namespace
//!   too stays with the first who registered it: with MediaWiki itself before any extension.
//! - It registers itself, then Composer's loader in `vendor/`. Extensions are loaded when LocalSettings.php has been
//!   read, in the order of its calls; an extension's own Composer loader comes then, and in front of all if it was
//!   dumped to prepend itself.
//!
//! Old extensions that write to `$wgAutoloadClasses` are not followed: MediaWiki's own loader goes on finding their
//! classes.

mod core;
mod follow;
mod registry;

use std::path::Path;

use crate::readers::{Extensions, Options, Reader};
use crate::{Application, Problem};
use core::Core;
use follow::Settings;
use registry::{Manifest, Registry};

#[derive(Debug)]
pub(super) struct MediaWiki;

impl Reader for MediaWiki {
    fn name(&self) -> &'static str {
        "mediawiki"
    }

    fn about(&self) -> &'static str {
        "MediaWiki, with the extensions and skins that LocalSettings.php loads"
    }

    fn knows(&self, root: &Path) -> bool {
        root.join("includes/AutoLoader.php").is_file() && root.join("autoload.php").is_file()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let core = Core::read(root)?;
        let settings = match options.extensions {
            Extensions::All => Settings { loaded: Manifest::all(&core.root), ..Settings::default() },
            Extensions::Enabled => enabled(root, &core, options),
        };
        Ok(Registry::new(core).application(settings))
    }
}

fn enabled(root: &Path, core: &Core, options: &Options) -> Settings {
    let file = options.settings.clone().unwrap_or_else(|| root.join("LocalSettings.php"));
    let nothing = |what: &str, hides: bool| {
        let what = format!(
            "{what}: no extension or skin was read, their classes are left to MediaWiki's own loader; name the file \
                            with --settings, or read all with --all-extensions"
        );
        let problems = vec![Problem { hides, ..Problem::of(&file, what) }];
        Settings { problems, open: true, inputs: vec![file.clone()], ..Settings::default() }
    };
    if file.extension().is_none_or(|extension| extension != "php") {
        return nothing("is not PHP, the only format that is followed here", true);
    }
    match std::fs::File::open(&file) {
        Ok(_) => follow::settings(&file, &core.root),
        // The wiki is not set up yet.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && options.settings.is_none() => {
            nothing("does not exist", false)
        }
        Err(error) => nothing(&format!("cannot be read ({error})"), true),
    }
}
