use super::*;

fn unit(name: &str, path: Option<&str>) -> Option<(String, Option<String>)> {
    Some((name.into(), path.map(Into::into)))
}

/// Its name and its path, on a machine without any engine's files.
fn unit_of(cgroup: &[u8]) -> Option<(String, Option<String>)> {
    let unit = super::unit_of(cgroup)?;
    Some((unit.name(&mut ContainerState::new("/nonexistent")), unit.path))
}

#[test]
fn services_and_containers_are_units_and_sessions_are_not() {
    let path = "/system.slice/php8.2-fpm.service";
    assert_eq!(unit_of(format!("0::{path}\n").as_bytes()), unit("php8.2-fpm.service", Some(path)));
    let path = "/user.slice/user-1000.slice/user@1000.service/app.slice/web.service";
    assert_eq!(unit_of(format!("0::{path}\n").as_bytes()), unit("web.service", Some(path)));
    let id = "3f9c2a81b7d0".repeat(6)[..64].to_owned();
    let path = format!("/system.slice/docker-{id}.scope");
    assert_eq!(unit_of(format!("0::{path}\n").as_bytes()), unit("container 3f9c2a81b7d0", Some(&path)));
    for session in
        ["/user.slice/user-0.slice/session-3.scope", "/user.slice/user-0.slice/user@0.service/init.scope", "/"]
    {
        assert_eq!(unit_of(format!("0::{session}\n").as_bytes()), None, "{session}");
    }
}

#[test]
fn a_group_below_the_unit_counts_for_the_unit() {
    let got = unit_of(b"0::/system.slice/postgresql.service/worker-1\n");
    assert_eq!(got, unit("postgresql.service", Some("/system.slice/postgresql.service")));
}

#[test]
fn a_service_within_a_container_is_not_the_machines() {
    for (path, name) in [
        ("/lxc.payload.web/system.slice/php.service", "container web/php.service"),
        ("/machine.slice/machine-web.scope/payload/system.slice/php.service", "container web/php.service"),
        ("/machine.slice/systemd-nspawn@web.service/payload/system.slice/php.service", "container web/php.service"),
        ("/machine.slice/systemd-nspawn@web.service/payload", "container web"),
        ("/lxc.monitor.web", "container web (monitor)"),
    ] {
        let up_to = path.strip_suffix("/payload").unwrap_or(path);
        assert_eq!(unit_of(format!("0::{path}\n").as_bytes()), unit(name, Some(up_to)), "{path}");
    }
    // Quadlet's service is the machine's, and its container is within it.
    let id = "3f9c2a81b7d0".repeat(6)[..64].to_owned();
    let path = format!("/system.slice/web.service/libpod-payload-{id}");
    assert_eq!(unit_of(format!("0::{path}\n").as_bytes()), unit("container 3f9c2a81b7d0", Some(&path)));
}

#[test]
fn a_users_container_is_called_that_users() {
    let id = "3f9c2a81b7d0".repeat(6)[..64].to_owned();
    // Nobody has this number.
    let path = format!("/user.slice/user-4123456789.slice/user@4123456789.service/user.slice/libpod-{id}.scope");
    let got = unit_of(format!("0::{path}/container\n").as_bytes());
    assert_eq!(got, unit("container 3f9c2a81b7d0 of user 4123456789", Some(&path)));
}

#[test]
fn on_v1_the_unit_is_known_but_has_no_counters_of_its_own() {
    let got = unit_of(b"9:name=systemd:/system.slice/nginx.service\n1:cpu:/\n0::/\n");
    assert_eq!(got, unit("nginx.service", None));
}

#[test]
fn the_v2_mount_is_found_in_mountinfo() {
    let mountinfo = b"24 1 0:22 / /proc rw - proc proc rw\n30 24 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
    let hierarchy = Hierarchy::parse(mountinfo).unwrap();
    assert_eq!(hierarchy.cpu_stat("/a/b"), Path::new("/sys/fs/cgroup/unified/a/b/cpu.stat"));
    assert_eq!(Hierarchy::parse(b"24 1 0:22 / /proc rw - proc proc rw\n"), None);
}
