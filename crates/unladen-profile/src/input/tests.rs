use super::*;

#[test]
fn the_place_is_that_of_what_was_taken() {
    let mut bytes: &[u8] = b"one\ntwo\nthree";
    let mut input = Input::new(&mut bytes);
    let mut line = String::new();
    input.read_line(&mut line).unwrap();
    assert_eq!((line.as_str(), input.offset()), ("one\n", 4));
    input.fill_buf().unwrap();
    assert_eq!(input.offset(), 4);
    let mut two = [0; 2];
    input.read_exact(&mut two).unwrap();
    assert_eq!((&two, input.offset()), (b"tw", 6));
    io::copy(&mut input, &mut io::sink()).unwrap();
    assert_eq!(input.offset(), 13);
}
