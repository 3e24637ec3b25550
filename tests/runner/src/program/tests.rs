use super::*;

const MESSAGES: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///w/crates/unladen-http1#0.1.0","manifest_path":"/w/crates/unladen-http1/Cargo.toml","target":{"kind":["lib"],"name":"unladen_http1","src_path":"/w/crates/unladen-http1/src/lib.rs"},"profile":{"test":true},"executable":"/w/target/debug/deps/unladen_http1-1"}
{"reason":"compiler-artifact","package_id":"path+file:///w/crates/unladen-http1#0.1.0","manifest_path":"/w/crates/unladen-http1/Cargo.toml","target":{"kind":["lib"],"name":"unladen_http1","src_path":"/w/crates/unladen-http1/src/lib.rs"},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","package_id":"path+file:///w/crates/unladen#0.1.0","manifest_path":"/w/crates/unladen/Cargo.toml","target":{"kind":["bin"],"name":"unladen","src_path":"/w/crates/unladen/src/main.rs"},"profile":{"test":false},"executable":"/w/target/debug/unladen"}
{"reason":"compiler-artifact","package_id":"path+file:///w/tests#unladen-tests@0.1.0","manifest_path":"/w/tests/Cargo.toml","target":{"kind":["test"],"name":"serve_h2","src_path":"/w/tests/tests/serve_h2/main.rs"},"profile":{"test":true},"executable":"/w/target/debug/deps/serve_h2-1"}
{"reason":"build-finished","success":true}
"#;

#[test]
fn programs_are_those_that_cargo_has_built_as_tests() {
    let programs = read(MESSAGES).unwrap();
    let names: Vec<String> = programs.iter().map(Program::full_name).collect();
    assert_eq!(names, ["unladen-http1 unittests src/lib.rs", "unladen-tests tests/serve_h2/main.rs"]);
    assert_eq!(programs[1].folder, Path::new("/w/tests"));
    assert_eq!(programs[0].unladen, Path::new("/w/target/debug/unladen"));
}

#[test]
fn without_unladen_no_test_can_run() {
    let without: String = MESSAGES.lines().filter(|line| !line.contains("\"bin\"")).collect::<Vec<_>>().join("\n");
    assert!(read(&without).is_err());
}
