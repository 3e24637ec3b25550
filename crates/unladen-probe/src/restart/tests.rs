use super::*;
use crate::container_path::ContainerPath;

const ID: &str = "3f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c";

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
