use super::*;
use crate::sample;

fn written(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn schema(text: &str) -> String {
    let parsed: serde_json::Value = serde_json::from_str(text).unwrap();
    parsed["schema"].as_str().unwrap().to_owned()
}

#[test]
fn the_document_looks_like_this() {
    let text = written(|out| Json.weigh(&sample::one_page(), Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.weigh/1");
    insta::assert_snapshot!(text);
}
