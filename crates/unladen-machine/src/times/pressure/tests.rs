use super::*;
use proptest::prelude::*;

#[test]
fn a_file_without_the_line_tells_nothing() {
    assert_eq!(some_pressure_ns(b"full avg10=0.00 total=5\n"), None);
    assert_eq!(some_pressure_ns(b"some avg10=0.00\n"), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = some_pressure_ns(&[b"some total=".as_slice(), &bytes].concat());
        let _ = some_pressure_ns(&bytes);
    }
}
