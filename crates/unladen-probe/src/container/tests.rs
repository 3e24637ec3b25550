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
