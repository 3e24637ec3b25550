use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::{Options, reader_named};

/// An application of which `src` is watched, and the map that follows.
struct Watched {
    folder: TempDir,
    project: Project,
    watch: Watch,
}

impl Watched {
    fn new(reader: &str, options: &Options, prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path());
        let reader = reader_named(reader).expect("a reader");
        let project = Project::read(folder.path(), reader, options).expect("a project");
        let watch = Watch::new(&project).expect("a watch");
        Self { folder, project, watch }
    }

    /// One whose classes are in `src`.
    fn of_src(prepare: impl FnOnce(&Path)) -> Self {
        let options = Options { psr4: vec![("App".into(), "src".into())], ..Options::default() };
        Self::new("psr4", &options, |folder| {
            class(folder, "src/A.php", "A");
            prepare(folder);
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Takes in what has changed, as the command does; the classes of the map.
    fn classes(&mut self) -> String {
        loop {
            let changes = self.watch.wait(Duration::from_millis(50)).expect("changes");
            if changes.is_empty() {
                break;
            }
            if changes.all {
                self.watch = Watch::new(&self.project).expect("a watch");
                self.project.read_again().expect("a project");
                if !self.watch.covers(&self.project) {
                    self.watch = Watch::new(&self.project).expect("a watch");
                }
            } else {
                self.project.refresh(&changes.files.into_iter().collect::<Vec<_>>());
            }
        }
        let names: Vec<_> = self.project.map.entries.iter().map(|entry| entry.class.to_string()).collect();
        names.join(" ").replace("App\\", "")
    }
}

fn class(folder: &Path, file: &str, name: &str) {
    let file = folder.join(file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, format!("<?php namespace App; class {name} {{}}")).expect("a file");
}

#[test]
fn a_folder_that_comes_back_is_watched_again() {
    let mut watched = Watched::of_src(|_| {});
    fs::remove_dir_all(watched.path("src")).expect("removed");
    assert_eq!(watched.classes(), "");
    class(watched.folder.path(), "src/B.php", "B");
    assert_eq!(watched.classes(), "B");
    class(watched.folder.path(), "src/C.php", "C");
    assert_eq!(watched.classes(), "B C");
}

#[test]
fn a_folder_that_is_not_there_yet_is_waited_for() {
    let options = Options { psr4: vec![("App".into(), "deep/er/src".into())], ..Options::default() };
    let mut watched = Watched::new("psr4", &options, |_| {});
    class(watched.folder.path(), "deep/er/src/A.php", "A");
    assert_eq!(watched.classes(), "A");
}

#[test]
fn a_folder_that_becomes_a_link_and_a_link_that_is_switched_are_followed() {
    let mut watched = Watched::of_src(|folder| class(folder, "second/B.php", "B"));
    fs::rename(watched.path("src"), watched.path("first")).expect("renamed");
    symlink("first", watched.path("src")).expect("a link");
    assert_eq!(watched.classes(), "A");
    symlink("second", watched.path("new")).expect("a link");
    fs::rename(watched.path("new"), watched.path("src")).expect("renamed");
    assert_eq!(watched.classes(), "B");
    class(watched.folder.path(), "second/C.php", "C");
    assert_eq!(watched.classes(), "B C");
}

#[test]
fn links_to_folders_among_the_files_come_and_go() {
    let mut watched = Watched::of_src(|folder| {
        fs::create_dir(folder.join("else")).expect("a folder");
        fs::write(folder.join("else/B.php"), "<?php namespace App\\linked; class B {}").expect("a file");
    });
    symlink("../else", watched.path("src/linked")).expect("a link");
    assert_eq!(watched.classes(), "A linked\\B");
    fs::remove_file(watched.path("src/linked")).expect("removed");
    assert_eq!(watched.classes(), "A");
}

#[test]
fn what_a_linked_file_leads_to_is_watched() {
    let mut watched = Watched::of_src(|folder| {
        class(folder, "else/B.php", "Other");
        symlink("../else/B.php", folder.join("src/B.php")).expect("a link");
    });
    assert_eq!(watched.classes(), "A");
    class(watched.folder.path(), "else/B.php", "B");
    assert_eq!(watched.classes(), "A B");
}

/// Debian's LocalSettings.php is a link to a link.
#[test]
fn what_linked_settings_lead_to_is_watched() {
    let mut watched = Watched::new("composer", &Options::default(), |folder| {
        class(folder, "src/A.php", "A");
        fs::create_dir(folder.join("etc")).expect("a folder");
        fs::write(folder.join("etc/real.json"), "{}").expect("a file");
        symlink("etc/real.json", folder.join("linked.json")).expect("a link");
        symlink("linked.json", folder.join("composer.json")).expect("a link");
    });
    assert_eq!(watched.classes(), "");
    fs::write(watched.path("etc/real.json"), r#"{"autoload":{"psr-4":{"App\\":"src"}}}"#).expect("a file");
    assert_eq!(watched.classes(), "A");
}

/// The kernel tells of a folder once, whichever way it is reached.
#[test]
fn a_folder_on_two_paths_is_seen_on_both() {
    let options =
        Options { psr4: vec![("App".into(), "src".into()), ("Two".into(), "two".into())], ..Options::default() };
    let mut watched = Watched::new("psr4", &options, |folder| {
        class(folder, "src/A.php", "A");
        symlink("src", folder.join("two")).expect("a link");
    });
    fs::write(watched.path("src/B.php"), "<?php namespace App; class B {} class_alias(B::class, 'Two\\B');")
        .expect("a file");
    assert_eq!(watched.classes(), "A B Two\\B");
    fs::remove_file(watched.path("src/B.php")).expect("removed");
    assert_eq!(watched.classes(), "A");
}

#[test]
fn a_listed_file_of_any_name_is_watched() {
    let mut watched = Watched::new("composer", &Options::default(), |folder| {
        fs::create_dir_all(folder.join("vendor/composer")).expect("a folder");
        fs::write(folder.join("vendor/composer/autoload_real.php"), "<?php $loader->register(true);").expect("a file");
        for (name, value) in [("classmap", "['App\\A' => __DIR__ . '/a.class']"), ("psr4", "[]"), ("namespaces", "[]")]
        {
            let file = folder.join(format!("vendor/composer/autoload_{name}.php"));
            fs::write(file, format!("<?php return {value};")).expect("a file");
        }
    });
    assert_eq!(watched.classes(), "");
    class(watched.folder.path(), "vendor/composer/a.class", "A");
    assert_eq!(watched.classes(), "A");
}

#[test]
fn files_that_are_hidden_or_of_nobody_are_not_taken_in() {
    let mut watched = Watched::new("composer", &Options::default(), |folder| {
        class(folder, "src/A.php", "A");
        fs::write(folder.join("composer.json"), r#"{"autoload":{"classmap":["src"]}}"#).expect("a file");
    });
    class(watched.folder.path(), "src/.Hidden.php", "Hidden");
    class(watched.folder.path(), "index.php", "Index");
    assert_eq!(watched.classes(), "A");
    let files = watched.project.tree.files().map(|(path, _)| path.to_string());
    assert!(!files.into_iter().any(|path| path.ends_with("index.php")));
}
