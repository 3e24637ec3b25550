use super::*;

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
