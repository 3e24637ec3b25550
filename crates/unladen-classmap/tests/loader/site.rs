//! An application with a map: the principal type is [`Site`].

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use unladen_classmap::php::Kind;
use unladen_classmap::{Entry, Map, emit};

/// The settings under which all scripts run: nothing is passed over in silence, and a file is cached at once, however
/// new it is.
pub(crate) const SETTINGS: &[&str] = &[
    "error_reporting=-1",
    "html_errors=0",
    "log_errors=1",
    "log_errors_max_len=0",
    "opcache.file_update_protection=0",
];

/// What is registered behind the map, as an application's own loader: it makes any class whose name ends in `Late`.
pub(crate) const OWN_LOADER: &str = r#"spl_autoload_register(function ($class) {
    echo "own:$class ";
    if (substr($class, -4) === 'Late') { eval("class $class { const FROM = 'own'; }"); }
});"#;

/// As some applications have it: whatever PHP says becomes an exception, `@` or not.
pub(crate) const THROWS: &str = r#"set_error_handler(function ($number, $text) { throw new ErrorException($text); });"#;

/// An application in a folder of its own, which any user may read.
pub(crate) struct Site {
    _folder: tempfile::TempDir,
    /// The application.
    pub(crate) root: PathBuf,
    map: Map,
}

impl Site {
    /// Without a class.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let root = folder.path().join("app");
        fs::create_dir(&root).unwrap();
        open_folder(&root.join("tmp"));
        Self { _folder: folder, root, map: Map::default() }
    }

    /// With this class, in the file of this path from the root.
    pub(crate) fn with(mut self, class: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> Self {
        let class = class.as_ref();
        let (space, name) = class.iter().rposition(|&byte| byte == b'\\').map_or((&b""[..], class), |at| {
            let (space, name) = class.split_at(at);
            (space, &name[1..])
        });
        let space = if space.is_empty() { Vec::new() } else { [b"namespace ", space, b"; "].concat() };
        let text = [b"<?php ", &space[..], b"class ", name, b" { const FROM = 'map'; }\n"].concat();
        self.add(class, path, &text);
        self
    }

    /// With this class in a file of this text.
    pub(crate) fn add(&mut self, class: impl AsRef<[u8]>, path: impl AsRef<[u8]>, text: impl AsRef<[u8]>) {
        let path = self.root.join(OsStr::from_bytes(path.as_ref()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let path = path.as_os_str().as_bytes().into();
        self.map.entries.push(Entry { class: class.as_ref().into(), path, kind: Kind::Class });
        self.map.entries.sort();
    }

    /// With its map, in `map.php`.
    pub(crate) fn mapped(self) -> Self {
        self.map_at("map.php");
        self
    }

    /// Writes the map into the file of this path from the root.
    pub(crate) fn map_at(&self, path: &str) {
        let target = self.root.join(path);
        fs::write(&target, emit::php(&self.map, &target, &self.root)).unwrap();
    }

    /// What these statements print, which must be the same with opcache and without; each of the two runs has a log and
    /// a folder for temporary files of its own, and reads the map first.
    pub(crate) fn prints(&self, statements: &str) -> String {
        let with = self.run("require 'map.php';", statements, &["opcache.enable_cli=1"]);
        let without = self.run("require 'map.php';", statements, &["opcache.enable_cli=0"]);
        assert_eq!(with, without, "with opcache, and without");
        with
    }

    /// What one run of these statements prints.
    pub(crate) fn run(&self, first: &str, statements: &str, settings: &[&str]) -> String {
        fs::write(self.root.join("script.php"), format!("<?php {first} {statements}")).unwrap();
        self.file("script.php", settings)
    }

    /// What one run of this file prints.
    pub(crate) fn file(&self, file: &str, settings: &[&str]) -> String {
        let output = self.php(settings).arg(file).output().expect("php is needed for this test");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
        printed
    }

    /// PHP's command line, with an empty log and no temporary files.
    fn php(&self, settings: &[&str]) -> Command {
        let tmp = self.root.join("tmp");
        fs::remove_dir_all(&tmp).unwrap();
        open_folder(&tmp);
        let mut php = Command::new("php");
        php.current_dir(&self.root);
        let (tmp, log) = (format!("sys_temp_dir={}", tmp.display()), format!("error_log={}", self.log().display()));
        for setting in SETTINGS.iter().chain(&["display_errors=1", &tmp, &log]).chain(settings) {
            php.args(["-d", setting]);
        }
        php
    }

    /// PHP's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("tmp/log")
    }

    /// The lines of PHP's log, from the loader's name on.
    pub(crate) fn logged(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        log.lines().map(|line| line.split_once("] ").map_or(line, |(_, line)| line).to_owned()).collect()
    }

    /// The marker that something was told.
    pub(crate) fn markers(&self) -> Vec<PathBuf> {
        let named =
            |path: &Path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"unladen-classmap-"));
        fs::read_dir(self.root.join("tmp"))
            .unwrap()
            .flatten()
            .map(|file| file.path())
            .filter(|path| named(path))
            .collect()
    }
}

/// Where any user may write.
fn open_folder(path: &Path) {
    fs::create_dir(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}
