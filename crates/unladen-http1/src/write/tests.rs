use crate::{Decoder, Length, Step, chunk_head};

#[test]
fn the_head_of_a_chunk_is_its_size_in_hexadecimal() {
    for length in [0, 1, 9, 10, 15, 16, 255, 256, 4095, 4096, 16_384, usize::MAX - 1, usize::MAX] {
        let (line, used) = chunk_head(length);
        assert_eq!(&line[..used], format!("{length:x}\r\n").as_bytes());
        assert!(line[used..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn what_is_written_is_read() {
    let (line, used) = chunk_head(usize::MAX);
    let mut decoder = Decoder::default();
    decoder.start(Length::Chunked);
    assert_eq!(decoder.step(&line[..used]), Ok(Step::Skip(used)));
}
