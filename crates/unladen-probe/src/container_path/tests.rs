use super::{ContainerPath, *};

const ID: &str = "3f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c";

fn of(path: &str) -> Option<(Engine, bool, bool)> {
    let found = ContainerPath::of_component(path.rsplit('/').next().unwrap(), path)?;
    assert!(found.id == ID || matches!(found.engine, Engine::Nspawn | Engine::Lxc), "{found:?}");
    Some((found.engine, found.is_monitor, found.is_of_pod))
}

/// The paths are those that the engines' documents and sources give; no engine made them here.
#[test]
fn each_engine_is_known_by_its_paths() {
    let cases = [
        ("/system.slice/docker-ID.scope", Engine::Docker, false, false),
        ("/docker/ID", Engine::Docker, false, false),
        ("/user.slice/user-1000.slice/user@1000.service/user.slice/docker-ID.scope", Engine::Docker, false, false),
        ("/machine.slice/libpod-ID.scope", Engine::Podman, false, false),
        ("/machine.slice/libpod-conmon-ID.scope", Engine::Podman, true, false),
        ("/libpod_parent/libpod-ID", Engine::Podman, false, false),
        ("/system.slice/web.service/libpod-payload-ID", Engine::Podman, false, false),
        ("/system.slice/nerdctl-ID.scope", Engine::Containerd, false, false),
        (
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1f.slice/cri-containerd-ID.scope",
            Engine::Containerd,
            false,
            true,
        ),
        ("/kubepods.slice/kubepods-pod1f.slice/crio-ID.scope", Engine::CriO, false, true),
        ("/kubepods.slice/kubepods-pod1f.slice/crio-conmon-ID.scope", Engine::CriO, true, true),
        ("/kubepods/burstable/pod1f/ID", Engine::Unknown, false, true),
        (
            "/system.slice/containerd.service/kubepods-burstable-pod1f.slice:cri-containerd:ID",
            Engine::Unknown,
            false,
            true,
        ),
        ("/machine.slice/machine-web.scope", Engine::Nspawn, false, false),
        ("/machine.slice/systemd-nspawn@web.service", Engine::Nspawn, false, false),
        ("/lxc.payload.web", Engine::Lxc, false, false),
        ("/lxc.monitor.web", Engine::Lxc, true, false),
    ];
    for (path, engine, is_monitor, is_of_pod) in cases {
        assert_eq!(of(&path.replace("ID", ID)), Some((engine, is_monitor, is_of_pod)), "{path}");
    }
}

#[test]
fn what_is_no_container_is_none() {
    for path in [
        "/system.slice/php8.2-fpm.service",
        "/machine.slice/machine-qemu\\x2d1\\x2dwin.scope",
        "/kubepods.slice/kubepods-pod1f.slice",
        "/user.slice/user-0.slice/session-3.scope",
        "/docker/abc",
        "/",
    ] {
        assert_eq!(of(path), None, "{path}");
    }
    assert_eq!(of(&format!("/lxc.payload.{}", "x".repeat(200))), None);
}

#[test]
fn a_rootless_engine_is_its_users() {
    let of = |path: &str| {
        let path = path.replace("ID", ID);
        ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap()
    };
    let manager = "/user.slice/user-1000.slice/user@1000.service";
    for (path, user) in [
        (format!("{manager}/user.slice/docker-ID.scope"), Some(1000)),
        (format!("{manager}/user.slice/libpod-ID.scope"), Some(1000)),
        (format!("{manager}/app.slice/web.service/libpod-payload-ID"), Some(1000)),
        ("/system.slice/docker-ID.scope".to_owned(), None),
        // Root's session is no rootless engine; and below a slice its user makes the names.
        ("/user.slice/user-0.slice/user@0.service/user.slice/libpod-ID.scope".to_owned(), None),
        (format!("{manager}/user.slice/user-0.slice/docker-ID.scope"), Some(1000)),
        ("/other/user.slice/user-7.slice/docker-ID.scope".to_owned(), None),
    ] {
        assert_eq!(of(&path).user, user, "{path}");
    }
}

#[test]
fn whoever_owns_the_engine_starts_it_again() {
    let restart = |path: &str, account: Option<&str>| {
        let path = path.replace("ID", ID);
        ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap().restart("web", account)
    };
    let manager = "/user.slice/user-1000.slice/user@1000.service";
    let docker = format!("{manager}/user.slice/docker-ID.scope");
    assert_eq!(restart(&docker, None).unwrap(), "DOCKER_HOST=unix:///run/user/1000/docker.sock docker restart web");
    let podman = format!("{manager}/user.slice/libpod-ID.scope");
    assert_eq!(restart(&podman, Some("joe")).unwrap(), "sudo -iu joe podman restart web");
    assert_eq!(restart(&podman, None), None);
    let quadlet = format!("{manager}/app.slice/web.service/libpod-payload-ID");
    assert_eq!(restart(&quadlet, Some("joe")).unwrap(), "systemctl --user -M joe@ restart web.service");
    assert_eq!(restart("/system.slice/web.service/libpod-payload-ID", None).unwrap(), "systemctl restart web.service");
    assert_eq!(restart("/system.slice/a;reboot.service/libpod-payload-ID", None).unwrap(), "podman restart web");
}

/// Rootless engines' were refused of other hosts, whose fixes then lacked them.
#[test]
fn whatever_is_made_is_one() {
    let manager = "/user.slice/user-1000.slice/user@1000.service";
    for path in [
        "/system.slice/docker-ID.scope".to_owned(),
        "/machine.slice/libpod-ID.scope".to_owned(),
        "/system.slice/web.service/libpod-payload-ID".to_owned(),
        "/machine.slice/machine-web.scope".to_owned(),
        format!("{manager}/user.slice/docker-ID.scope"),
        format!("{manager}/user.slice/libpod-ID.scope"),
        format!("{manager}/app.slice/web.service/libpod-payload-ID"),
    ] {
        let path = path.replace("ID", ID);
        let container = ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap();
        let restart = container.restart("shop-php-1", Some("joe")).unwrap();
        assert!(is_restart(&restart), "{restart}");
    }
    assert!(is_restart("docker compose -p shop restart php"));
    assert!(is_restart("DOCKER_HOST=unix:///run/user/1000/docker.sock docker compose -p shop restart php"));
}

/// Of another host's word: `systemctl restart -H root@bank x` was taken for one.
#[test]
fn nothing_else_is_one() {
    for command in [
        "",
        " ",
        "docker restart",
        "docker restart web db",
        "docker restart  web",
        "docker restart -t",
        "docker restart web;reboot",
        "docker restart web\nreboot",
        "docker rm web",
        "podman restart --all",
        "docker compose -p --file=/tmp/x restart php",
        "docker compose -p shop restart --build",
        "docker compose -f x restart php",
        "systemctl restart -H root@bank x",
        "systemctl restart web",
        "systemctl restart --root=/tmp/x.service",
        "systemctl --user -M root@bank restart web.service",
        "systemctl --user -M -H@ restart web.service",
        "sudo -iu joe podman restart --all",
        "sudo -iu -s podman restart web",
        "sudo -iu joe sh restart web",
        "DOCKER_HOST=unix:///run/user/1000/docker.sock podman restart web",
        "DOCKER_HOST=unix:///run/user/1000/../x/docker.sock docker restart web",
        "DOCKER_HOST=unix:///run/user//docker.sock docker restart web",
        "DOCKER_HOST=ssh://root@bank docker restart web",
        "machinectl reboot --host=root@bank",
    ] {
        assert!(!is_restart(command), "{command:?}");
    }
}
