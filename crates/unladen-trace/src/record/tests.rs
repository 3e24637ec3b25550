use super::*;

#[test]
fn what_was_written_is_read() {
    let folder = std::env::temp_dir().join(format!("unladen-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("record.json");
    let on_db = Evidence { host: Some("db".into()), ..Evidence::default() };
    let hosts = vec![HostRecord { warm: on_db, fresh: None }];
    let record = Recording::new(vec![PageRecord::default(), PageRecord { hosts, ..PageRecord::default() }]);
    record.write(&mut std::fs::File::create(&path).unwrap()).unwrap();
    assert_eq!(Recording::read(&path).unwrap(), record);

    std::fs::write(&path, "{\"schema\":\"unladen.evidence/1\",\n\"pages\": 3}").unwrap();
    let error = Recording::read(&path).unwrap_err().to_string();
    assert!(error.contains("record.json:2:10: expected an evidence file"), "{error}");

    std::fs::write(&path, "{\"schema\":\"unladen.evidence/9\",\"pages\":[]}").unwrap();
    let error = Recording::read(&path).unwrap_err().to_string();
    assert!(error.contains("found \"unladen.evidence/9\""), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
