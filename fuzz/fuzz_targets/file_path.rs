//! Paths of requests: what is decoded has one form, and what is found by it lies beneath the root and may be sent.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use unladen_files::{RequestPath, Resolved, Root, Rules, ScriptNames, Try};

/// A root with one file that may be sent, and a secret beside it. A link leads out.
static ROOT: LazyLock<Root> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("unladen-fuzz-files-{}", std::process::id()));
    let root = folder.join("root");
    let write = |path: &Path| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    };
    write(&folder.join("secret"));
    for name in ["a/b.css", "index.php", "c.php.bak", "d.inc", ".git/e"] {
        write(&root.join(name));
    }
    let _ = std::os::unix::fs::symlink("..", root.join("out"));
    Root::open(&root).unwrap()
});

fuzz_target!(|target: &[u8]| {
    let target = [b"/", target].concat();
    let Ok(path) = RequestPath::parse(&target) else { return };
    let bytes = path.bytes();
    assert!(bytes.starts_with(b"/") && !bytes.windows(2).any(|two| two == b"//"));
    assert!(!bytes.iter().any(u8::is_ascii_control));
    assert!(!bytes.split(|byte| *byte == b'/').any(|segment| matches!(segment, b"." | b"..")));
    let scripts = Rules {
        tries: vec![Try::Path(String::new()), Try::Folder, Try::Fixed("/index.php".to_owned())],
        scripts: ScriptNames::new([".php".to_owned()]),
        ..Rules::default()
    };
    for rules in [Rules::default(), scripts] {
        match ROOT.resolve(&path, &rules, Instant::now()) {
            Resolved::File(file) => assert_eq!(file.path, b"a/b.css"),
            Resolved::Script(script) => {
                assert_eq!(script.name, b"/index.php");
                assert!(script.path_info.is_empty() || script.path_info.starts_with(b"/"));
            }
            Resolved::Redirect(to) => assert_eq!(to, b"/a/"),
            Resolved::NotFound | Resolved::Status(_) | Resolved::Refused(_) => (),
        }
    }
});
