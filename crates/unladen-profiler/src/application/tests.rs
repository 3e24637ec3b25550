use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

#[test]
fn who_listens_is_found_by_path_and_by_port() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a name with blanks.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    // A connection bears the path too, and is none that listens.
    let _client = UnixStream::connect(&path).unwrap();
    let _accepted = unix.accept().unwrap();
    for address in [Address::Unix(path.clone()), Address::Tcp(tcp.local_addr().unwrap())] {
        let found = Application::that_listens_at(&address).unwrap();
        assert_eq!(found.pid, std::process::id());
        assert_eq!(found.exe, std::env::current_exe().unwrap());
        assert_eq!(found.kind, Kind::Other);
        assert_eq!(found.reached(&address, 1), address);
    }
    drop(unix);
    let error = Application::that_listens_at(&Address::Unix(path)).unwrap_err().to_string();
    assert!(error.contains("nothing listens at"), "{error}");
}

#[test]
fn kinds_are_told_by_the_program() {
    let kind = |exe: &str| Kind::of(Path::new(exe));
    assert_eq!(kind("/usr/sbin/php-fpm8.2"), Kind::PhpFpm);
    assert_eq!(kind("/usr/local/sbin/php-fpm (deleted)"), Kind::PhpFpm);
    assert_eq!(kind("/usr/bin/perl5.36.0"), Kind::Perl);
    assert_eq!(kind("/usr/bin/perl-5.38"), Kind::Perl);
    assert_eq!(kind("/usr/sbin/fcgiwrap"), Kind::Fcgiwrap);
    assert_eq!(kind("/usr/bin/perldoc"), Kind::Other);
}
