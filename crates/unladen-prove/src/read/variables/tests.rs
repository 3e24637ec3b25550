use super::*;

#[test]
fn what_is_known_is_put_in_and_the_rest_left() {
    let variables = Variables::read("URL=http://127.0.0.1:8080/?a=b\nwiki: starting\n STATE=/no\nSTATE=/var/tmp/x \n");
    assert_eq!(
        variables.expanded("${URL}#${STATE}/${OTHER} $URL ${"),
        Some("http://127.0.0.1:8080/?a=b#/var/tmp/x/${OTHER} $URL ${".into())
    );
    assert_eq!(variables.expanded("${OTHER}"), None);
}

#[test]
fn every_text_of_a_file_is_looked_through() {
    let text = "variables = '${A}'\nurl = '${A}'\nurls = ['x', '${A}']\n[[knob]]\non = { env = { B = '${A}' } }\n";
    let (mut document, _) = Document::parse(text);
    Variables::read("A=1").expand(&mut document);
    let shown = format!("{document:?}");
    assert_eq!(shown.matches("${A}").count(), 1, "{shown}");
}

#[test]
fn a_file_asks_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.toml");
    let text = |command: &str| {
        format!(
            "variables = \"{command}\"\nurl = \"http://127.0.0.1:${{PORT}}/\"\nload = {{ concurrency = 1, requests = 9 }}\n[[knob]]\nname = \"k\"\non = {{ header = \"A: b\" }}\n"
        )
    };
    std::fs::write(&file, text("echo PORT=8123")).unwrap();
    assert_eq!(crate::Experiment::read(&file).unwrap().urls[0].url.port(), Some(8123));
    std::fs::write(&file, text("echo broken >&2; exit 3")).unwrap();
    let error = crate::Experiment::read(&file).unwrap_err().to_string();
    assert!(error.contains("x.toml:1:13") && error.contains("broken"), "{error}");
}
