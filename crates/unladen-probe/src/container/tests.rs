use super::*;

const ID: &str = "3f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c";

fn of(path: &str) -> Option<(String, Option<String>)> {
    named(&format!("0::{path}\n"))
}

#[test]
fn containers_are_named_as_their_engine_names_them() {
    let container = |restart: Option<&str>| Some(("the container 3f9c2a81b7d0".to_owned(), restart.map(str::to_owned)));
    let docker = container(Some("docker restart 3f9c2a81b7d0"));
    assert_eq!(of(&format!("/system.slice/docker-{ID}.scope")), docker);
    assert_eq!(of(&format!("/docker/{ID}")), docker);
    assert_eq!(named(&format!("9:cpu:/docker/{ID}\n0::/\n")), docker);
    let podman = container(Some("podman restart 3f9c2a81b7d0"));
    assert_eq!(of(&format!("/machine.slice/libpod-{ID}.scope/container")), podman);
    let pod = format!("/kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope");
    assert_eq!(of(&pod), container(None), "a pod is replaced, not started again");
    assert_eq!(of("/lxc.payload.web/system.slice/php.service"), Some(("the container web".to_owned(), None)));
    let nspawn = Some(("the container my-web".to_owned(), Some("machinectl reboot my-web".to_owned())));
    assert_eq!(of("/machine.slice/machine-my\\x2dweb.scope/payload"), nspawn);
    assert_eq!(of("/system.slice/php8.2-fpm.service"), None);
    assert_eq!(of("/"), None);
}

/// Its engine's name, and Compose's, are what people type.
#[test]
fn a_container_is_started_again_by_what_people_call_it() {
    let docker = found(&format!("0::/system.slice/docker-{ID}.scope\n")).unwrap();
    let named = ContainerName::Named("web".to_owned());
    assert_eq!(
        called(&docker, Some(&named), None),
        ("the container web".to_owned(), Some("docker restart web".to_owned()))
    );
    let service = ContainerName::Service {
        project: "shop".to_owned(),
        service: "php".to_owned(),
        number: 1,
        name: Some("shop-php-1".to_owned()),
    };
    let (name, restart) = called(&docker, Some(&service), None);
    assert_eq!(name, "the service php of the Compose project shop");
    assert_eq!(restart.as_deref(), Some("docker compose -p shop restart php"));
    let pod = found(&format!("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope\n")).unwrap();
    let name = ContainerName::Pod {
        namespace: "shop".to_owned(),
        pod: "web-5d4f".to_owned(),
        container: Some("php".to_owned()),
    };
    assert_eq!(called(&pod, Some(&name), None), ("the container php of the pod shop/web-5d4f".to_owned(), None));
}

#[test]
fn a_users_container_is_told_with_its_user() {
    let manager = "/user.slice/user-1000.slice/user@1000.service/user.slice";
    let docker = found(&format!("0::{manager}/docker-{ID}.scope\n")).unwrap();
    let service =
        ContainerName::Service { project: "shop".to_owned(), service: "php".to_owned(), number: 1, name: None };
    let (name, restart) = called(&docker, Some(&service), Some("joe"));
    assert_eq!(name, "the service php of the Compose project shop of joe");
    let engine = "DOCKER_HOST=unix:///run/user/1000/docker.sock";
    assert_eq!(restart.unwrap(), format!("{engine} docker compose -p shop restart php"));
    let podman = found(&format!("0::{manager}/libpod-{ID}.scope/container\n")).unwrap();
    assert_eq!(called(&podman, None, None), ("the container 3f9c2a81b7d0 of user 1000".to_owned(), None));
}

#[test]
fn a_name_is_no_command() {
    let (_, restart) = of("/machine.slice/machine-a;reboot.scope").unwrap();
    assert_eq!(restart, None);
    // It would be read as an option.
    let (name, restart) = of("/machine.slice/machine-\\x2d\\x2dhost.scope").unwrap();
    assert_eq!((&*name, restart), ("the container --host", None));
}

#[test]
fn a_name_that_is_empty_or_moves_a_terminals_cursor_is_none() {
    for path in [
        "/lxc.payload.",
        "/machine.slice/machine-.scope",
        "/lxc.payload.a\u{1b}[2J",
        "/machine.slice/machine-\u{7}.scope",
    ] {
        assert_eq!(of(path), None, "{path:?}");
    }
}

#[test]
fn who_has_our_root_lives_in_no_container() {
    assert_eq!(Container::of(std::process::id()), None);
}
