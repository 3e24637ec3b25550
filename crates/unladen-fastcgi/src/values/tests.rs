use super::*;
use crate::record::STDOUT;

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
