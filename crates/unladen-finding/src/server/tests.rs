use std::process::{Command, Stdio};

use super::*;

#[test]
fn a_server_that_writes_its_number_is_found_by_it() {
    let folder = std::env::temp_dir().join(format!("unladen a server {}", std::process::id()));
    let mut child = Command::new("sleep").arg("1000").stdout(Stdio::null()).spawn().unwrap();
    let exe = std::fs::read_link(format!("/proc/{}/exe", child.id())).unwrap().to_str().unwrap().to_owned();
    let pid_file = Some(folder.to_str().unwrap().to_owned());
    let server = ServerSeen { pid: 1, exe, pid_file, ..ServerSeen::default() };
    let run = || Command::new("sh").args(["-c", &signal(&server, "TERM").unwrap()]).output().unwrap();
    assert!(!run().status.success(), "there is no such file");
    std::fs::write(&folder, format!("{}\n", child.id())).unwrap();
    assert!(run().status.success());
    child.wait().unwrap();
    let ended = run();
    std::fs::remove_file(&folder).unwrap();
    assert!(!ended.status.success() && !ended.stderr.is_empty(), "{ended:?}");
}

/// Root pasted a line that ran the nginx of a user.
#[test]
fn a_users_own_nginx_was_run_by_root() {
    let server = ServerSeen { pid: 7, exe: "/home/joe/nginx".into(), ..ServerSeen::default() };
    assert_eq!(nginx(Some(&server)), "nginx -t && nginx -s reload");
    let joes = ServerSeen { account: Some("joe".into()), ..server };
    assert_eq!(
        nginx(Some(&joes)),
        "runuser -u joe -- /home/joe/nginx -t && runuser -u joe -- /home/joe/nginx -s reload"
    );
}

#[test]
fn a_mariadb_with_settings_elsewhere_was_taken_for_the_packages() {
    assert_eq!(mariadb(None), "mariadb");
    let elsewhere = ServerSeen {
        config: Some("/srv/db/my.cnf".into()),
        socket: Some("/srv/a db/my.sock".into()),
        ..ServerSeen::default()
    };
    assert_eq!(mariadb(Some(&elsewhere)), "mariadb -S '/srv/a db/my.sock'");
    assert_eq!(mariadb_file(Some(&elsewhere)), "/srv/db/my.cnf");
}

/// A reload went to a number that nobody has any more, and said nothing.
#[test]
fn a_signal_to_a_server_that_was_restarted_was_silent() {
    let mut child = Command::new("sleep").arg("1000").stdout(Stdio::null()).spawn().unwrap();
    let exe = std::fs::read_link(format!("/proc/{}/exe", child.id())).unwrap();
    let server = ServerSeen { pid: child.id(), exe: exe.to_str().unwrap().to_owned(), ..ServerSeen::default() };
    let run = |server: &ServerSeen| Command::new("sh").args(["-c", &signal(server, "TERM").unwrap()]).output().unwrap();
    let other = run(&ServerSeen { exe: "/bin/a 'sh'".into(), ..server.clone() });
    assert!(!other.status.success() && child.try_wait().unwrap().is_none(), "it is another program's number");
    assert!(run(&server).status.success());
    child.wait().unwrap();
    let ended = run(&server);
    assert!(!ended.status.success());
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains(&format!("process {} is no longer {}", server.pid, server.exe)), "{said}");
}
