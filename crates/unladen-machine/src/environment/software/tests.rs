use std::fs;

use proptest::prelude::*;

use super::*;

const STATUS: &str = "Package: php8.2-fpm\nStatus: install ok installed\nArchitecture: amd64\nVersion: 8.2.36-1~deb12u1\n\n\
                      Package: gone\nStatus: deinstall ok config-files\nVersion: 1.0\n\n\
                      Package: postgresql-15\nStatus: install ok installed\nVersion: 15.18-0+deb12u1\n";

/// A machine on which these packages own these files.
fn machine(packages: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let info = folder.path().join("var/lib/dpkg/info");
    fs::create_dir_all(&info).unwrap();
    fs::write(folder.path().join("var/lib/dpkg/status"), STATUS).unwrap();
    for (package, file) in packages {
        fs::write(info.join(format!("{package}.list")), format!("/.\n/usr\n{file}\n")).unwrap();
    }
    folder
}

fn packaged(root: &Path, file: &str) -> Option<String> {
    let file = Path::new(file);
    package_version(root, file, &Program::of(file.file_name().unwrap().to_str().unwrap()))
}

#[test]
fn the_package_that_owns_the_file_tells_the_version() {
    let machine = machine(&[
        ("php8.2-fpm", "/usr/sbin/php-fpm8.2"),
        ("postgresql-15", "/usr/lib/postgresql/15/bin/postgres"),
        ("gone", "/usr/bin/gone"),
    ]);
    let version = |file| packaged(machine.path(), file);
    assert_eq!(version("/usr/sbin/php-fpm8.2").as_deref(), Some("8.2.36-1~deb12u1"));
    assert_eq!(version("/sbin/php-fpm8.2").as_deref(), Some("8.2.36-1~deb12u1"), "before the merge of the folders");
    assert_eq!(version("/usr/lib/postgresql/15/bin/postgres").as_deref(), Some("15.18-0+deb12u1"));
    assert_eq!(version("/usr/local/sbin/php-fpm8.2"), None, "another program of the same name");
    assert_eq!(version("/usr/bin/gone"), None, "it is not installed any longer");
}

#[test]
fn a_program_without_a_package_tells_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nginx");
    fs::write(&file, b"\x7fELF\0nginx/1.27.3\0").unwrap();
    let expected = Software { name: "nginx".into(), version: Some("1.27.3".into()) };
    assert_eq!(software_of(&[file.clone(), file]), [expected]);
}

#[test]
fn what_is_not_known_stays_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("our-server");
    fs::write(&file, b"our-server/1.2.3").unwrap();
    assert_eq!(software_of(&[file]), [Software { name: "our-server".into(), version: None }]);
    assert_eq!(software_of(&[PathBuf::from("/"), PathBuf::new()]), []);
}

/// A name that was made to do something to a terminal or a page is not told.
#[test]
fn a_hostile_name_is_left_out() {
    assert_eq!(software_of(&[PathBuf::from("/bin/\u{1b}[2Jx"), PathBuf::from("/bin/<script>")]), []);
    assert_eq!(printable("1.2\n3"), None);
}

/// Opening a pipe waits for somebody who writes into it.
#[test]
fn a_pipe_in_place_of_a_file_does_not_stop_us() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("nginx");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(software_of(&[pipe]), [Software { name: "nginx".into(), version: None }]);
}

#[test]
fn a_containers_program_is_looked_up_in_its_own_root() {
    let (root, inside) = root_of(Path::new("/proc/12/root/usr/sbin/nginx"));
    assert_eq!((root.as_path(), inside.as_path()), (Path::new("/proc/12/root"), Path::new("/usr/sbin/nginx")));
    assert_eq!(root_of(Path::new("/proc/12/exe")).0, Path::new("/"));
}

#[test]
fn files_of_versions_are_one_program() {
    for (file, name, packages) in [
        ("php-fpm8.2", "PHP-FPM", &["php8.2-fpm"][..]),
        ("python3.11", "Python", &["python3.11-minimal", "python3.11"]),
        ("postgres", "PostgreSQL", &["postgresql-{}"]),
        ("phpunit", "phpunit", &["phpunit"]),
    ] {
        let program = Program::of(file);
        assert_eq!(
            (program.name.as_str(), program.packages.as_slice()),
            (name, packages.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>().as_slice())
        );
    }
}

#[test]
fn a_version_stands_after_or_before_its_mark() {
    let php = b"\0X-Powered-By: PHP/\0%s\0X-Powered-By: PHP/8.2.36\0";
    assert_eq!(find(php, Mark::After("X-Powered-By: PHP/")).as_deref(), Some("8.2.36"));
    assert_eq!(find(b"\x0010.11.19-MariaDB\0", Mark::Before("-MariaDB")).as_deref(), Some("10.11.19"));
}

#[test]
fn half_a_version_is_none() {
    for text in ["nginx/", "nginx/1", "nginx/1.", "nginx/.2", "nginx/1..2"] {
        assert_eq!(find(text.as_bytes(), Mark::After("nginx/")), None, "{text}");
    }
    assert_eq!(find(b"-MariaDB", Mark::Before("-MariaDB")), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_say_more_than_digits(
        before in prop::collection::vec(any::<u8>(), 0..60), after in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let bytes = [&before[..], b"nginx/", &after[..]].concat();
        for mark in [Mark::After("nginx/"), Mark::Before("nginx/"), Mark::None] {
            let found = find(&bytes, mark);
            prop_assert!(found.is_none_or(|found| found.chars().all(|c| c.is_ascii_digit() || c == '.')));
        }
    }
}
