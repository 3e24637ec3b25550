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

/// Fixes named `systemctl` where no systemd runs, as each rule wrote it by itself.
#[test]
fn commands_of_services_are_made_in_one_place() {
    fn look(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                look(&path, found);
            } else if name.ends_with(".rs") && name != "tests.rs" && name != "server.rs" {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines = text.lines().enumerate().filter(|(_, line)| {
                    ["restart", "reload", "start", "stop"]
                        .iter()
                        .any(|verb| line.contains(&format!("systemctl {verb} ")))
                });
                found.extend(lines.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())));
            }
        }
    }
    let mut found = Vec::new();
    look(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    // The one asks about systemd in the line above; the other reads a command.
    found.retain(|line| !line.contains("proxysql-initial") && !line.contains("strip_prefix"));
    assert!(found.is_empty(), "server::service makes these: {found:#?}");
}

#[test]
fn an_fpm_tests_and_reloads_the_settings_that_it_was_started_with() {
    let seen = ServerSeen {
        pid: 77,
        pid_file: Some("/srv/run/fpm.pid".to_owned()),
        exe: "/usr/sbin/php-fpm8.2".to_owned(),
        config: Some("/srv/etc/fpm.conf".to_owned()),
        ..ServerSeen::default()
    };
    let command = fpm(&seen).unwrap();
    assert!(command.starts_with("/usr/sbin/php-fpm8.2 -y /srv/etc/fpm.conf -t"), "{command}");
    assert!(command.ends_with("kill -USR2 \"$(cat /srv/run/fpm.pid)\"") && !command.contains("systemctl"), "{command}");
}

/// `psql` without `-h` asked another server, at the usual socket.
#[test]
fn a_postgres_with_its_socket_elsewhere_was_asked_at_the_usual_one() {
    assert_eq!(psql_of(None, Some(5432)), "runuser -u postgres -- psql -p 5432");
    let elsewhere = ServerSeen {
        socket: Some("/srv/a db/run".into()),
        port: Some(5433),
        account: Some("joe".into()),
        ..ServerSeen::default()
    };
    assert_eq!(psql_of(Some(&elsewhere), None), "runuser -u joe -- psql -h '/srv/a db/run' -p 5433");
}
