use super::*;

const SHIPPED: Program =
    Program { name: "unladen", ebpf: true, commit: Some(("829dfe0c", "2026-11-23")), linked_to_nothing: true };

#[test]
fn what_is_shipped_tells_its_commit() {
    let text = SHIPPED.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], concat!("unladen ", env!("CARGO_PKG_VERSION")));
    assert_eq!(lines[1], "commit   829dfe0c of 2026-11-23");
    assert!(lines[2].contains("linked statically") && lines[2].contains(std::env::consts::ARCH), "{text}");
    assert_eq!(lines[3], "eBPF     included");
    assert_eq!(lines.len(), 4);
}

#[test]
fn what_is_missing_is_told() {
    let text = Program { ebpf: false, commit: None, linked_to_nothing: false, ..SHIPPED }.to_string();
    assert!(
        text.contains("commit   unknown") && text.contains("eBPF     not included: nothing can be traced"),
        "{text}"
    );
    assert!(text.contains("this system's libraries"), "{text}");
}

/// Tests are built by cargo alone, or by scripts that tell both.
#[test]
fn this_one_tells_all_or_nothing_of_its_commit() {
    let this = Program::this("unladen-agent", false);
    assert_eq!(this.commit.is_some(), option_env!("UNLADEN_COMMIT").is_some());
    assert_eq!(this.linked_to_nothing, cfg!(target_feature = "crt-static"));
}
