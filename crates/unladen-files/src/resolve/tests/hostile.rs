//! Paths that attackers send: nothing outside of the root, and no source, is ever opened.

use std::io::Read as _;
use std::time::Instant;

use proptest::prelude::*;

use super::{Tree, files_alone, front_controller};
use crate::{RequestPath, Resolved, Rules};

/// Traversals and disclosures, by the ways that have worked on some server. `SCRIPT` stands for a script that is there.
const CORPUS: &[&[u8]] = &[
    b"/../secret",
    b"/./../secret",
    b"/a/../../secret",
    b"/a/..",
    b"/..",
    b"/..;/secret",
    b"/a/..;/..;/secret",
    b"/.%2e/secret",
    b"/%2e%2e/secret",
    b"/%2e%2e%2fsecret",
    b"/..%2fsecret",
    b"/..%2Fsecret",
    b"/a%2f..%2f..%2fsecret",
    b"/..%5csecret",
    b"/..\\secret",
    b"/a/..\\..\\secret",
    b"/%252e%252e/secret",
    b"/%252e%252e%252fsecret",
    b"/..%252fsecret",
    b"/%c0%ae%c0%ae/secret",
    b"/%c0%ae%c0%ae%c0%afsecret",
    b"/%e0%80%ae%e0%80%ae/secret",
    b"/%f0%80%80%ae%f0%80%80%ae/secret",
    b"/%uff0e%uff0e/secret",
    b"/\xef\xbc\x8e\xef\xbc\x8e/secret",
    b"/%ef%bc%8e%ef%bc%8e%ef%bc%8fsecret",
    b"/....//secret",
    b"/...//secret",
    b"//../secret",
    b"///etc/passwd",
    b"/%2fetc%2fpasswd",
    b"/%00/secret",
    b"/a.css%00.php",
    b"/SCRIPT%00",
    b"/SCRIPT%00.jpg",
    b"/SCRIPT%0a",
    b"/SCRIPT%20",
    b"/SCRIPT.",
    b"/SCRIPT..",
    b"/SCRIPT%2e",
    b"/SCRIPT;",
    b"/SCRIPT;.css",
    b"/SCRIPT::$DATA",
    b"/SCRIPT~",
    b"/SCRIPT.bak",
    b"/SCRIPT.swp",
    b"/.SCRIPT.swp",
    b"/SCRIPT.save",
    b"/SCRIPT.txt",
    b"/SCRIPT%23",
    b"/%23SCRIPT%23",
    b"/CONFIG.PHP",
    b"/config.pHp",
    b"/config%2ephp%20",
    b"/config.ph%70%00",
    b"/config%252ephp",
    b"/lib.inc",
    b"/lib.INC",
    b"/view.phtml",
    b"/.env",
    b"/%2eenv",
    b"/.git/config",
    b"/.git%2fconfig",
    b"/.GIT/config",
    b"/a/.htpasswd",
    b"/.well-known/../.env",
    b"/.well-known/.env",
];

const FILES: &[&str] = &[
    "index.php",
    "index.html",
    "a/style.css",
    "a/.htpasswd",
    "config.php",
    "config.php~",
    "config.php.bak",
    "config.php.swp",
    ".config.php.swp",
    "config.php.save",
    "config.php.txt",
    "config.php;",
    "config.php;.css",
    "config.php.",
    "config.php ",
    "#config.php#",
    "CONFIG.PHP",
    "lib.inc",
    "lib.INC",
    "view.phtml",
    ".env",
    ".git/config",
    ".well-known/.env",
    "config.pHp",
];

#[test]
fn traversal_and_disclosure_find_nothing() {
    let tree = Tree::new(FILES);
    let mut scripts_alone = front_controller();
    scripts_alone.tries.pop();
    for (name, rules) in [("files", files_alone()), ("scripts", scripts_alone)] {
        for target in CORPUS {
            let target = String::from_utf8_lossy(target).replace("SCRIPT", "config.php").into_bytes();
            let got = tree.get(&target, &rules);
            // Names with a semicolon are other files' names, which nothing runs.
            let is_own_name = target.ends_with(b";.css") && got == "file config.php;.css";
            assert!(got == "400" || got == "404" || is_own_name, "{name}: {} {got}", String::from_utf8_lossy(&target));
        }
    }
    assert_eq!(tree.get(b"/config.php", &files_alone()), "404");
}

#[test]
fn a_front_controller_gets_what_is_no_file_and_nothing_else() {
    let tree = Tree::new(FILES);
    for target in CORPUS {
        let target = String::from_utf8_lossy(target).replace("SCRIPT", "config.php").into_bytes();
        let got = tree.get(&target, &front_controller());
        let is_own_name = got == "file config.php;.css";
        assert!(
            got == "400" || got == "404" || got == "script /index.php" || is_own_name,
            "{} {got}",
            String::from_utf8_lossy(&target)
        );
    }
}

/// What a request for it would be sent.
fn contents(tree: &Tree, target: &[u8], rules: &Rules) -> Option<String> {
    let path = RequestPath::parse(target).ok()?;
    match tree.root.resolve(&path, rules, Instant::now()) {
        Resolved::File(file) => {
            let mut text = String::new();
            std::fs::File::from(file.file).read_to_string(&mut text).unwrap();
            Some(text)
        }
        _ => None,
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => Just(b"/".to_vec()),
        2 => Just(b"..".to_vec()),
        1 => Just(b".".to_vec()),
        1 => Just(b"%2e".to_vec()),
        1 => Just(b"%2f".to_vec()),
        1 => Just(b"\\".to_vec()),
        1 => Just(b"%5c".to_vec()),
        1 => Just(b"%00".to_vec()),
        2 => Just(b"secret".to_vec()),
        1 => Just(b"a".to_vec()),
        1 => Just(b"style.css".to_vec()),
        2 => Just(b"config.php".to_vec()),
        1 => Just(b".bak".to_vec()),
        1 => Just(b"~".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"out".to_vec()),
        1 => Just(b".git".to_vec()),
        1 => Just(b"root".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 1..3),
    ]
}

proptest! {
    #[test]
    fn nothing_outside_of_the_root_is_opened(pieces in proptest::collection::vec(piece(), 0..10)) {
        thread_local! {
            static TREE: Tree = {
                let tree = Tree::new(&["a/style.css", "config.php", "config.php.bak", ".git/config", "a/config.php~"]);
                std::os::unix::fs::symlink("..", tree.path().join("out")).unwrap();
                tree
            };
        }
        let target = [b"/".to_vec(), pieces.concat()].concat();
        TREE.with(|tree| {
            for rules in [files_alone(), front_controller()] {
                if let Some(text) = contents(tree, &target, &rules) {
                    assert_eq!(text, "SOURCE of a/style.css", "{}", String::from_utf8_lossy(&target));
                }
            }
        });
    }
}
