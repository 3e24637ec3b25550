use super::*;

/// Of PHP-FPM 8.2.
const PAGE: &str = r#"{"pool":"www","process manager":"static","start time":1763880000,"start since":64,"accepted conn":3,
"listen queue":2,"max listen queue":5,"listen queue len":511,"idle processes":1,"active processes":3,"total processes":4,
"max active processes":3,"max children reached":0,"slow requests":0}"#;

#[test]
fn the_page_of_php_fpm() {
    let status = Status::parse(PAGE.as_bytes()).unwrap();
    assert_eq!((status.pool.as_str(), status.manager.as_str()), ("www", "static"));
    assert_eq!((status.workers(), status.active, status.idle, status.waiting), (4, 3, 1, 2));
    assert_eq!((status.accepted, status.most_active, status.max_children_reached), (3, 3, 0));
}

#[test]
fn what_is_none_is_told() {
    let error = |page: &[u8]| Status::parse(page).unwrap_err().to_string();
    assert!(error(b"File not found.\n").contains("`pm.status_path`"));
    assert!(error(b"{\"pool\":\"www\"}").contains("process manager"));
    assert!(error(&[b' '; MOST_BYTES + 1]).contains("16384 bytes"));
    assert!(error(PAGE.replace("\"idle processes\":1", "\"idle processes\":-1").as_bytes()).contains("JSON"));
}
