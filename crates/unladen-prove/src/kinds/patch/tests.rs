use std::fs;

use super::*;

struct Place {
    folder: tempfile::TempDir,
    journal: tempfile::TempDir,
}

const PATCH: &str = "\
--- a/lib/page.php
+++ b/lib/page.php
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
--- /dev/null
+++ b/new/file
@@ -0,0 +1 @@
+added
--- a/gone/file
+++ /dev/null
@@ -1 +0,0 @@
-removed
";

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("lib/page.php", "one\ntwo\nthree\n"), ("gone/file", "removed\n")] {
            let path = folder.path().join("app").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { folder, journal: tempfile::tempdir().unwrap() }
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@localhost"]).args(arguments);
        Shell::new(self.folder.path()).execute(git, "git", COMMAND_TIME, &Cancel::new()).unwrap();
    }

    fn knob(&self, text: &str) -> PatchKnob {
        let dir = self.folder.path().join("app");
        PatchKnob { on: true, patch: "fix.patch".into(), text: text.into(), dir, within: COMMAND_TIME }
    }

    fn there_and_back(&self) {
        let (knob, shell, journal) = (self.knob(PATCH), Shell::new(self.folder.path()), self.journal.path());
        let before = self.files();
        let undo = knob.prepare(&mut Saver::new(journal)).unwrap();
        let cancel = Cancel::new();
        let switch = Switch { shell: &shell, undo: &undo, journal, cancel: &cancel };
        for _round in 0..2 {
            knob.set(true, &switch).unwrap();
            assert_eq!(self.files(), ["lib/page.php=one\nTWO\nthree\n", "new/file=added\n"]);
            knob.set(false, &switch).unwrap();
            assert_eq!(self.files(), before);
        }
        knob.set(true, &switch).unwrap();
        // Putting back does without git, and whatever has become of the file.
        fs::write(self.folder.path().join("app/lib/page.php"), "half").unwrap();
        undo.run(journal, &shell).unwrap();
        assert_eq!(self.files(), before);
        assert!(!self.folder.path().join("app/new").exists());
    }

    /// Paths and contents.
    fn files(&self) -> Vec<String> {
        let app = self.folder.path().join("app");
        let names = ["gone/file", "lib/page.php", "new/file"];
        let read = |name: &&str| fs::read_to_string(app.join(name)).ok().map(|text| format!("{name}={text}"));
        names.iter().filter_map(read).collect()
    }
}

#[test]
fn applies_without_a_repository() {
    Place::new().there_and_back();
}

/// There, git takes paths as the repository's, and passes over those outside the folder without a word.
#[test]
fn applies_in_a_folder_below_the_top_of_a_repository() {
    let place = Place::new();
    place.git(&["init", "-q"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "x"]);
    place.there_and_back();
}

#[test]
fn refuses_what_does_not_apply_before_anything_is_changed() {
    let place = Place::new();
    let journal = place.journal.path();
    let refused = |text: &str| {
        place.knob(text).prepare(&mut Saver::new(&journal.join(text.len().to_string()))).unwrap_err().to_string()
    };
    for text in [PATCH, "no patch at all"] {
        fs::create_dir_all(journal.join(text.len().to_string())).unwrap();
    }
    assert!(refused("no patch at all").contains("does not apply"));
    fs::write(place.folder.path().join("app/lib/page.php"), "one\nTWO\nthree\n").unwrap();
    let error = refused(PATCH);
    assert!(error.contains("page.php") && error.contains("does not apply in"), "{error}");
}

#[test]
fn says_when_the_patch_is_in_already() {
    let place = Place::new();
    let journal = place.journal.path();
    let text = PATCH.lines().take(7).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(place.folder.path().join("app/lib/page.php"), "one\nTWO\nthree\n").unwrap();
    let error = place.knob(&text).prepare(&mut Saver::new(journal)).unwrap_err().to_string();
    assert!(error.contains("applied already there"), "{error}");
}

#[test]
fn keeps_both_names_of_a_renamed_file() {
    let place = Place::new();
    let (shell, journal) = (Shell::new(place.folder.path()), place.journal.path());
    let text = "diff --git a/lib/page.php b/lib/p q.php\nsimilarity index 100%\nrename from lib/page.php\nrename to lib/p q.php\n";
    let knob = place.knob(text);
    let undo = knob.prepare(&mut Saver::new(journal)).unwrap();
    let cancel = Cancel::new();
    knob.set(true, &Switch { shell: &shell, undo: &undo, journal, cancel: &cancel }).unwrap();
    assert!(place.folder.path().join("app/lib/p q.php").exists());
    undo.run(journal, &shell).unwrap();
    assert!(!place.folder.path().join("app/lib/p q.php").exists());
    assert!(place.files().contains(&"lib/page.php=one\ntwo\nthree\n".to_owned()));
}
