use super::*;

#[test]
fn the_mean_is_of_those_that_tell() {
    let contents: [&[u8]; 3] = [b"2000000\n", b"<unknown>\n", b"3000000\n"];
    assert_eq!(mean_hz(contents.into_iter()), Some(2_500_000_000));
    assert_eq!(mean_hz(std::iter::empty()), None);
    assert_eq!(mean_hz([u64::MAX.to_string().as_bytes()].into_iter()), None);
}
