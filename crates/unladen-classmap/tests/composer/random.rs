//! Projects of chance: folders within folders, prefixes within prefixes, and classes that are where they are not looked
//! for.

use std::path::PathBuf;

use bstr::ByteSlice;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value};
use unladen_classmap::{Application, Claim, Claims, Rule, Tree};

use super::{Fixture, read};

const FOLDERS: [&str; 6] = ["d1", "d2", "d 3", "d1/A", "d2/A/B", "d 3/A"];
const PSR4: [&str; 6] = ["", "A\\", "A\\B\\", "A_B\\", "B\\", "A\\B\\A\\"];
const PSR0: [&str; 8] = ["", "A", "A_", "A\\", "A\\B", "A_B_", "B", "A\\B_"];
const EXCLUDED: [&str; 7] = ["d1", "d1/A/", "**/B.php", "*/A", "d 3/**", "./d2/A/*", "d1/../d2"];
const NAMES: [&str; 9] = ["A", "B", "A\\A", "A\\B", "A_B", "A\\B\\A", "A_B\\B_A", "A\\B_A\\A_A", "B\\A"];

fn prefixes(all: &'static [&'static str]) -> impl Strategy<Value = Value> {
    (subsequence(all, 1..=6), proptest::collection::vec(subsequence(&FOLDERS[..], 1..=3).prop_shuffle(), 6)).prop_map(
        |(prefixes, folders)| {
            let pairs = prefixes.into_iter().zip(folders);
            pairs.map(|(prefix, folders)| (prefix.to_owned(), folders.into())).collect::<Map<_, _>>().into()
        },
    )
}

/// composer.json, and files with the class that each declares.
fn projects() -> impl Strategy<Value = (Value, Vec<(String, String)>)> {
    let folder = || select(&FOLDERS[..]);
    let name = || select(&NAMES[..]);
    let file = (folder(), name(), name(), 0..6).prop_map(|(folder, class, other, how)| {
        let path = match how {
            // Where PSR-4 has it below a shorter prefix, or PSR-0.
            0 | 1 => class.replace('\\', "/"),
            2 | 3 => class.replace(['\\', '_'], "/"),
            4 => class.rsplit('\\').next().unwrap_or(class).to_owned(),
            _ => other.replace('\\', "/"),
        };
        (format!("{folder}/{path}.php"), class.to_owned())
    });
    let files = prop_oneof![proptest::collection::vec(file.clone(), 10..40), proptest::collection::vec(file, 100..160)];
    let classmap = subsequence(&FOLDERS[..], 0..=2).prop_shuffle();
    let excluded = subsequence(&EXCLUDED[..], 0..=3);
    (prefixes(&PSR4), prefixes(&PSR0), classmap, excluded, files).prop_map(|(psr4, psr0, classmap, excluded, files)| {
        let json = serde_json::json!({
            "name": "acme/app",
            "autoload": { "psr-4": psr4, "psr-0": psr0, "classmap": classmap, "exclude-from-classmap": excluded },
        });
        (json, files)
    })
}

/// The file for each name, or all of those of which Composer takes the first in the order of the disk, or of its
/// folders.
fn answers(application: &Application, names: &[String]) -> Vec<Vec<String>> {
    let tree = Tree::read(application);
    let claims = Claims::new(application, &tree);
    let answer = |name: &String| {
        let all = claims.all(name.as_bytes().as_bstr());
        let rule = |claim: &Claim<'_>| &application.loaders[claim.loader].rules[claim.rule];
        let open = all.iter().filter(|claim| matches!(rule(claim), Rule::Folders { .. })).count();
        all.iter().take(open.max(1)).map(|claim| claim.path.to_str_lossy().into_owned()).collect()
    };
    names.iter().map(answer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_project_is_read_as_composer_reads_it((json, files) in projects()) {
        let fixture = Fixture::bare(&json);
        for folder in &FOLDERS {
            std::fs::create_dir_all(fixture.root().join(folder)).expect("a folder");
        }
        for (path, class) in &files {
            fixture.class(path, class);
        }
        let mut names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        names.extend(NAMES.iter().flat_map(|name| ["A\\", "A_B\\", "A_", "A\\B_"].map(|prefix| format!("{prefix}{name}"))));
        names.extend(files.iter().map(|(_, class)| class.clone()));
        let undumped = answers(&read(fixture.root(), false), &names);
        for command in [&["dump-autoload"][..], &["dump-autoload", "--optimize"]] {
            fixture.composer(command);
            let theirs = fixture.find_files(&names);
            let dumped = answers(&read(fixture.root(), false), &names);
            for ((name, ours), theirs) in names.iter().zip(&dumped).zip(&theirs) {
                let real = |path: &PathBuf| path.canonicalize().expect("a file").to_string_lossy().into_owned();
                let theirs: Vec<String> = theirs.iter().map(real).collect();
                prop_assert_eq!(ours, &theirs, "{} {:?}", name, command);
            }
            if command.len() == 1 {
                for ((name, dumped), undumped) in names.iter().zip(dumped).zip(&undumped) {
                    let among = undumped.iter().any(|path| Some(path) == dumped.first());
                    prop_assert!(*undumped == dumped || undumped.len() > 1 && among, "{}: {:?} {:?}", name, undumped, dumped);
                }
            }
        }
    }
}
