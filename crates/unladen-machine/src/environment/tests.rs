use proptest::prelude::*;

use super::*;

/// A machine of which nothing can be read is still described.
#[test]
fn nothing_is_known_of_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::read(&Root::at(folder.path()), 3);
    assert_eq!(environment.processors, 3);
    assert_eq!((environment.kernel, environment.cpu, environment.memory_bytes), (None, None, None));
    assert_eq!(environment.virtualisation, Virtualisation::default());
}

#[test]
fn this_machine_says_what_it_is() {
    let environment = Environment::of_this_machine();
    assert!(environment.kernel.is_some_and(|release| release.starts_with(|c: char| c.is_ascii_digit())));
    assert!(environment.memory_bytes.is_some_and(|bytes| bytes > 1 << 20));
    assert!(environment.host.is_some());
}

#[test]
fn it_serialises_as_the_documents_have_it() {
    let environment = Environment {
        host: Some("vm".into()),
        kernel: Some("6.1.0".into()),
        cpu: None,
        processors: 2,
        processor_quota: Some(1.5),
        virtualisation: Virtualisation { hypervisor: Some("kvm"), container: None },
        memory_bytes: Some(1024),
        load_1m: Some(0.25),
        software: vec![Software { name: "nginx".into(), version: Some("1.22.1".into()) }],
    };
    let expected = serde_json::json!({
        "kernel": "6.1.0", "cpu": null, "processors": 2, "processor_quota": 1.5, "virtualisation": "kvm",
        "memory_bytes": 1024, "load_1m": 0.25, "software": [{"name": "nginx", "version": "1.22.1"}],
    });
    assert_eq!(serde_json::to_value(&environment).unwrap(), expected);
}

proptest! {
    #[test]
    fn memory_is_read_back(kib in 0..u64::MAX / 1024) {
        let meminfo = format!("MemTotal:       {kib} kB\nMemFree:  5 kB\n");
        prop_assert_eq!(memory_bytes(&meminfo), Some(kib * 1024));
    }

    #[test]
    fn no_content_makes_the_readers_panic(content in "(.|\n){0,80}") {
        let _ = memory_bytes(&content);
        let _ = memory_bytes(&format!("MemTotal:{content}"));
        prop_assert!(load_1m(&content).is_none_or(|load| load >= 0.0));
    }
}
