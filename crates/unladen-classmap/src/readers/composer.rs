//! Composer projects. The principal type is [`Composer`].
//!
//! If Composer has written its loader (`composer install`, `composer dump-autoload`), that loader answers, and is read.
//! Otherwise, what it would write is derived from composer.json and vendor/composer/installed.json.
//!
//! Composer's ClassLoader tries, in this order: its list of classes; PSR-4, the longest prefix first; PSR-4's folders
//! without a prefix; PSR-0, the prefixes in order; PSR-0's folders without a prefix. `exclude-from-classmap` affects
//! only what it lists: by PSR-4 and PSR-0 the loader still finds the files.

mod dumped;
mod package;
mod project;
mod undumped;

pub(crate) use dumped::{Flags, VendorLoader, is_dumped, vendor, vendor_of, vendors};

use std::path::Path;

use crate::readers::{Options, Reader};
use crate::{Application, Loader, Problem, Rule};
use project::Project;

#[derive(Debug)]
pub(super) struct Composer;

impl Reader for Composer {
    fn name(&self) -> &'static str {
        "composer"
    }

    fn about(&self) -> &'static str {
        "Composer projects: from vendor/composer/autoload_*.php, or else composer.json and installed.json"
    }

    fn knows(&self, root: &Path) -> bool {
        root.join("composer.json").is_file() || root.join("vendor/composer/autoload_psr4.php").is_file()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let mut project = Project::open(root)?;
        if !self.knows(root) && !is_dumped(&project.vendor) {
            return Err(Problem::of(root, "not a Composer project: expected composer.json in it"));
        }
        let name = project.vendor.strip_prefix(&project.folder).unwrap_or(&project.vendor);
        let name = format!("{}/", name.display());
        let found = if is_dumped(&project.vendor) && !options.anew {
            let found = vendor(&project.vendor, &name)?;
            compare(&mut project, &found.loader);
            found
        } else {
            project.add_packages(options)?;
            // Once written, it is what counts.
            project.inputs.push(project.vendor.join("composer/autoload_real.php"));
            let loader = Loader {
                name: format!("Composer ({name}, not dumped)"),
                rules: undumped::rules(&mut project),
                ..Loader::default()
            };
            VendorLoader { loader, prepends: project.prepends, ..VendorLoader::default() }
        };
        let (mut inputs, mut problems) = (project.inputs, project.problems);
        inputs.extend(found.inputs);
        problems.extend(found.problems);
        Ok(Application { loaders: vec![found.loader], inputs, problems, switch_on: switch_on(&name, found.prepends) })
    }
}

/// The `vendor` folder of the project in `root`. Fails if composer.json cannot be read, or does not tell.
pub(crate) fn vendor_folder(root: &Path) -> Result<std::path::PathBuf, Problem> {
    let mut project = Project::open(root)?;
    match project.problems.iter().position(|problem| problem.hides) {
        Some(problem) if !is_dumped(&project.vendor) => Err(project.problems.swap_remove(problem)),
        _ => Ok(project.vendor),
    }
}

/// Reports what composer.json promises and an outdated loader does not do.
fn compare(project: &mut Project, loader: &Loader) {
    let root = &project.root;
    let mut problems = undumped::missing(root);
    // Only its list counts, and whether that is outdated cannot be told.
    if loader.rules.iter().any(|rule| matches!(rule, Rule::Psr4 { .. } | Rule::Psr0 { .. })) {
        for (key, wanted) in [("psr-4", &root.autoload.psr4), ("psr-0", &root.autoload.psr0)] {
            for (prefix, folders) in wanted {
                let written = |folder: &Path| {
                    loader.rules.iter().any(|rule| match rule {
                        Rule::Psr4 { prefixes, .. } if key == "psr-4" => has(prefixes, prefix, folder),
                        Rule::Psr0 { prefixes, .. } if key == "psr-0" => has(prefixes, prefix, folder),
                        _ => false,
                    })
                };
                for folder in
                    folders.iter().map(|folder| undumped::from(root, folder)).filter(|folder| !written(folder))
                {
                    let what = format!(
                        "`{key}` has `{prefix}` in {}, which the loader in {} does not know: run composer \
                         dump-autoload",
                        folder.display(),
                        project.vendor.display(),
                    );
                    problems.push(Problem::of(project.folder.join("composer.json"), what));
                }
            }
        }
    }
    project.problems.append(&mut problems);
}

fn has(prefixes: &[(bstr::BString, Vec<std::path::PathBuf>)], prefix: &str, folder: &Path) -> bool {
    prefixes.iter().any(|(known, folders)| *known == prefix.as_bytes() && folders.iter().any(|known| known == folder))
}

fn switch_on(vendor: &str, prepends: bool) -> Vec<String> {
    let mut lines = vec![
        format!("right after the line that requires {vendor}autoload.php: require '…/unladen-classmap.php';"),
        "or for all scripts that require it, in composer.json: \"autoload\": { \"files\": \
         [\"./unladen-classmap.php\"] }, then composer dump-autoload"
            .to_owned(),
    ];
    lines.push(if prepends {
        "auto_prepend_file would not work: Composer's loader registers itself before existing loaders".to_owned()
    } else {
        "or before all of its code: auto_prepend_file, because Composer's loader does not register itself first \
         (prepend-autoloader is false)"
            .to_owned()
    });
    lines
}
