use super::*;

#[test]
fn what_is_no_result_is_refused_with_its_reason() {
    let message = |text: &str| Document::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message("{\n \"schema\": }"), "not JSON at line 2, column 12: expected value");
    assert_eq!(message(""), "not JSON at line 1, column 0: EOF while parsing a value");
    assert_eq!(message("[1]"), "no `schema`: not a document that `--json` of Unladen wrote");
    assert_eq!(message(r#"{"schema": 3}"#), message("{}"));
    assert_eq!(
        message(r#"{"schema": "unladen.weigh/2"}"#),
        "the schema is `unladen.weigh/2`, newer than `unladen.weigh/1`, which this version of Unladen reads; update Unladen"
    );
    let unknown = message("{\"schema\": \"unladen.serve/1\\u001b[31m\"}");
    assert!(
        unknown.starts_with("the schema is `unladen.serve/1[31m`; results of measurements are `unladen.weigh/1`, ")
    );
    assert_eq!(
        message("{\"schema\": \"unladen.load/1\",\n\"requests\": \"many\"}"),
        "not a document of `unladen.load/1`, at line 2, column 18: invalid type: string \"many\", expected u64"
    );
}
