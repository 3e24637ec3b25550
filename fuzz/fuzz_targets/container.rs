//! `/proc/PID/cgroup`: names of control groups are chosen by others, and what is made of them is shown, or copied into
//! a shell.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_probe::fuzzing::container;

fuzz_target!(|text: &str| {
    let Some((name, restart)) = container(text) else { return };
    assert!(name.strip_prefix("the container ").is_some_and(|name| !name.is_empty()), "{name:?}");
    assert!(!name.chars().any(char::is_control), "{name:?}");
    let Some(restart) = restart else { return };
    let mut words: Vec<&str> = restart.split(' ').collect();
    // Where the engine of a user listens.
    if let Some(user) = words[0].strip_prefix("DOCKER_HOST=unix:///run/user/") {
        let user = user.strip_suffix("/docker.sock").expect("a socket");
        assert!(user.parse::<u32>().is_ok(), "{restart:?}");
        words.remove(0);
    }
    let [engine, _, id] = words.as_slice() else { panic!("{restart:?}") };
    assert!(["docker", "podman", "machinectl", "systemctl"].contains(engine), "{restart:?}");
    assert!(id.starts_with(|first: char| first.is_ascii_alphanumeric()), "{restart:?}");
    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)), "{restart:?}");
});
