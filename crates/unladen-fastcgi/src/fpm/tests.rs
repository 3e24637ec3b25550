use super::*;
use crate::record::STDOUT;

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

#[test]
fn what_is_asked_and_what_is_answered() {
    let mut out = Vec::new();
    get_values(&mut out);
    let header = Header::read(&out).unwrap().unwrap();
    assert_eq!((header.kind, header.request), (GET_VALUES, 0));
    let asked = Params::decode(&out[HEADER..][..usize::from(header.length)]).unwrap();
    assert_eq!((asked.0.len(), asked.get("FCGI_MAX_CONNS")), (3, Some(&b""[..])));

    let mut answer = Vec::new();
    let params = Params(vec![(b"FCGI_MPXS_CONNS".to_vec(), b"0".to_vec())]);
    write_record(&mut answer, GET_VALUES_RESULT, 0, &params.encode());
    assert_eq!(read_values(&answer), Ok(Some(params)));
    for cut in 0..8 {
        assert_eq!(read_values(&answer[..cut]), Ok(None));
    }
    answer[HEADER] = 200;
    assert_eq!(read_values(&answer), Err(Fault::Values));
    answer[1] = STDOUT;
    assert_eq!(read_values(&answer), Err(Fault::Kind(STDOUT)));
}
