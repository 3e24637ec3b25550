//! The packages of Debian: made of the program of these sources, looked at, and unpacked into a folder. `make package-test`
//! installs, upgrades and purges them where systemd runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;
use unladen_tests::binary;

/// The page that is served at first, in the package.
const STAGE: &str = "usr/share/unladen/welcome";

#[test]
fn every_file_is_documented() {
    let page = fs::read_to_string(root().join("docs/guides/packages.md")).unwrap();
    let files = [contents("unladen"), contents("unladen-serve")].concat();
    assert!(files.iter().any(|file| file == "/usr/bin/unladen"), "{files:?}");
    assert!(files.iter().any(|file| file == "/usr/lib/systemd/system/unladen.service"), "{files:?}");
    let named = |path: &Path| page.contains(&format!("`{}`", path.display()));
    let unnamed: Vec<_> = files.iter().filter(|file| !Path::new(file).ancestors().any(named)).collect();
    assert!(unnamed.is_empty(), "docs/guides/packages.md says nothing of {unnamed:?}");
    // And the other way round: what the table of the files names is there, but for what this build has not.
    let table = page.split("## The files").nth(1).unwrap().split("## ").next().unwrap();
    let paths = table.split('`').skip(1).step_by(2).filter(|name| name.starts_with("/usr") || name.starts_with("/etc"));
    for path in paths.filter(|path| !path.contains("libexec/unladen") || path.ends_with("hand-over")) {
        assert!(files.iter().any(|file| Path::new(file).starts_with(path)), "no package has {path}");
    }
}

#[test]
fn all_files_are_roots_and_are_written_by_nobody_else() {
    for package in ["unladen", "unladen-serve"] {
        let listing = text(done(Command::new("dpkg-deb").arg("-c").arg(deb(package))));
        for line in listing.lines() {
            assert!(line.contains(" root/root "), "{line}");
            // A link's own mode means nothing.
            let mode = line.split(' ').next().unwrap().as_bytes();
            assert!(mode[0] == b'l' || (mode[5] != b'w' && mode[8] != b'w' && mode[3] != b's'), "{line}");
        }
    }
}

#[test]
fn the_configuration_of_the_package_is_right_and_serves_for_this_machine_alone() {
    let here = unpacked();
    let config = fs::read_to_string(here.join("etc/unladen/unladen.toml")).unwrap();
    let moved = config.replace("/usr/share/unladen/welcome", here.join(STAGE).to_str().unwrap());
    assert_ne!(config, moved, "it serves the page of the package");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    fs::write(&file, moved).unwrap();
    let said = done(Command::new(binary()).args(["serve", "--check", "--config"]).arg(&file));
    assert!(!String::from_utf8_lossy(&said.stderr).contains("warning"), "{said:?}");
    for line in config.lines().filter(|line| line.starts_with("listen")) {
        assert!(line.contains("\"127.0.0.1:") || line.contains("\"unix:/run/unladen/"), "{line}");
    }
    // With all that is commented out, it is right too: examples are for copying.
    let start = |line: &str| line.starts_with("# [") || line.starts_with("# ") && line.contains(" = ");
    let example: String =
        config.lines().map(|line| if start(line) { &line[2..] } else { line }).fold(String::new(), |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        });
    let folders = [("/usr/share/unladen/welcome", here.join(STAGE)), ("/var/log/unladen", folder.path().into())];
    let example = folders.iter().fold(example, |text, (from, to)| text.replace(from, to.to_str().unwrap()));
    fs::write(&file, &example).unwrap();
    done(Command::new(binary()).args(["serve", "--check", "--config"]).arg(&file));
}

#[test]
fn the_unit_runs_what_is_installed_and_is_exposed_little() {
    let here = unpacked();
    let folder = here.join("usr/lib/systemd/system");
    let unit = fs::read_to_string(folder.join("unladen.service")).unwrap();
    assert!(unit.contains("\nExecStart=/usr/bin/unladen serve --config /etc/unladen/unladen.toml\n"), "{unit}");
    assert!(unit.contains("\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n"), "{unit}");
    // It keeps openat2(2) from files of a site, which are then not served.
    assert!(!unit.contains("\nRestrictSUIDSGID=yes"), "{unit}");
    // What systemd makes for the service, a purge takes away.
    let purge = fs::read_to_string(root().join("packaging/deb/unladen-serve.postrm")).unwrap();
    for (key, folder) in [("StateDirectory=", "/var/lib/"), ("LogsDirectory=", "/var/log/")] {
        let made = unit.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        assert!(purge.contains(&format!("{folder}{made}")), "{key}{made}");
    }
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        eprintln!("systemd-analyze is not here, and is not asked how exposed the unit is");
        return;
    }
    let mut security = Command::new("systemd-analyze");
    security.args(["security", "--offline=true", "--threshold=20", "--no-pager"]).arg(folder.join("unladen.service"));
    done(&mut security);
}

#[test]
fn scripts_of_the_packages_are_shell() {
    let mut scripts: Vec<_> =
        fs::read_dir(root().join("packaging/deb")).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| fs::read(path).unwrap().starts_with(b"#!"));
    assert_eq!(scripts.len(), 3, "{scripts:?}");
    scripts.push(root().join("packaging/systemd/hand-over"));
    for script in scripts {
        done(Command::new("sh").arg("-n").arg(script));
    }
}

#[test]
fn a_purge_of_the_program_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    fs::create_dir_all(place.join("var/lib/dpkg/info")).unwrap();
    fs::create_dir_all(place.join("var/lib/dpkg/updates")).unwrap();
    fs::write(place.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |args: &[&str]| {
        let mut dpkg = Command::new("dpkg");
        // Its libraries are this machine's, and it has no scripts of its own.
        dpkg.args(["--force-depends", "--force-not-root", "--force-bad-path", "--force-unsafe-io", "--log=/dev/null"]);
        done(dpkg.arg(format!("--root={}", place.display())).args(args));
    };
    dpkg(&["--install", deb("unladen").to_str().unwrap()]);
    let version = text(done(Command::new(place.join("usr/bin/unladen")).arg("--version")));
    assert!(version.starts_with("unladen "), "{version}");
    dpkg(&["--purge", "unladen"]);
    let left: BTreeSet<_> = files_below(place).into_iter().filter(|path| !path.starts_with("var/lib/dpkg")).collect();
    assert!(left.is_empty(), "{left:?}");
}

// === What they look at ===

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A package, made once a test program: below the folder of this program's run, as other runs may make theirs.
fn deb(name: &str) -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let folder = MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
        let mut make = Command::new(root().join("scripts/package"));
        done(make.args(["deb", "--fast", "--version", "9.9.9", "--binary"]).arg(binary()).arg("--output").arg(&folder));
        folder
    });
    let mut found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let start = format!("{name}_9.9.9_");
    found.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&start)).unwrap()
}

/// The files of a package.
fn contents(package: &str) -> Vec<String> {
    let listing = text(done(Command::new("dpkg-deb").arg("-c").arg(deb(package))));
    let paths = listing.lines().filter(|line| !line.starts_with('d'));
    paths.map(|line| line.split_whitespace().nth(5).unwrap().trim_start_matches('.').to_owned()).collect()
}

/// The service's package.
fn unpacked() -> &'static Path {
    static UNPACKED: OnceLock<TempDir> = OnceLock::new();
    let folder = UNPACKED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        done(Command::new("dpkg-deb").arg("-x").arg(deb("unladen-serve")).arg(folder.path()));
        folder
    });
    folder.path()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path().strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    files
}

#[track_caller]
fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn text(output: Output) -> String {
    String::from_utf8(output.stdout).unwrap()
}
