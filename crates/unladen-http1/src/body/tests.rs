use crate::{Decoder, Fault, Length, Name, Step, chunk_head};

fn decoder(length: Length) -> Decoder {
    let mut decoder = Decoder::default();
    decoder.start(length);
    decoder
}

#[test]
fn no_body_ends_at_once() {
    assert!(Decoder::default().is_done());
    for length in [Length::None, Length::Exact(0)] {
        let mut decoder = decoder(length);
        assert!(decoder.is_done());
        assert_eq!(decoder.step(b"GET "), Ok(Step::End(0)));
        assert_eq!(decoder.step(b""), Ok(Step::End(0)));
    }
}

#[test]
fn an_exact_body_leaves_what_follows_it() {
    let mut decoder = decoder(Length::Exact(5));
    assert_eq!(decoder.step(b""), Ok(Step::More));
    assert_eq!(decoder.step(b"abc"), Ok(Step::Data(3)));
    assert_eq!(decoder.step(b"deGET /"), Ok(Step::Data(2)));
    assert!(!decoder.is_done());
    assert_eq!(decoder.step(b"GET /"), Ok(Step::End(0)));
    assert!(decoder.is_done());
}

#[test]
fn sizes_past_any_buffer_do_not_overflow() {
    let mut exact = decoder(Length::Exact(u64::MAX));
    assert_eq!(exact.step(b"abc"), Ok(Step::Data(3)));
    let mut chunked = decoder(Length::Chunked);
    assert_eq!(chunked.step(b"ffffffffffffffff\r\nabc"), Ok(Step::Skip(18)));
    assert_eq!(chunked.step(b"abc"), Ok(Step::Data(3)));
}

#[test]
fn a_body_until_the_close_never_ends() {
    let mut decoder = decoder(Length::UntilClose);
    assert_eq!(decoder.step(b""), Ok(Step::More));
    assert_eq!(decoder.step(b"0\r\n\r\n"), Ok(Step::Data(5)));
    assert!(!decoder.is_done());
}

#[test]
fn framing_between_chunks_is_one_step_if_it_is_whole() {
    let mut decoder = decoder(Length::Chunked);
    assert_eq!(decoder.step(b"3\r\nabc\r\n0\r\n\r\nGET"), Ok(Step::Skip(3)));
    assert_eq!(decoder.step(b"abc\r\n0\r\n\r\nGET"), Ok(Step::Data(3)));
    assert_eq!(decoder.step(b"\r"), Ok(Step::More));
    assert_eq!(decoder.step(b"\r\n0"), Ok(Step::Skip(2)));
    assert_eq!(decoder.step(b"0\r\n\r"), Ok(Step::Skip(3)));
    assert_eq!(decoder.step(b"\r"), Ok(Step::More));
    assert!(!decoder.is_done());
    assert_eq!(decoder.step(b"\r\nGET"), Ok(Step::End(2)));
    assert!(decoder.is_done() && decoder.trailers().is_empty());

    decoder.start(Length::Chunked);
    assert_eq!(decoder.step(b"0\r\n\r\nGET"), Ok(Step::End(5)));
}

#[test]
fn trailers_are_kept_until_the_next_body() {
    let mut decoder = decoder(Length::Chunked);
    assert_eq!(decoder.step(b"000;a=b;c\r\nDate:  x \r\nGrpc-Status: 0\r\n\r\n"), Ok(Step::End(40)));
    let trailers: Vec<_> = decoder.trailers().iter().map(|field| (field.id, field.name, field.value)).collect();
    let expected: [(Name, &[u8], &[u8]); 2] = [(Name::Date, b"Date", b"x"), (Name::Other, b"Grpc-Status", b"0")];
    assert_eq!(trailers, expected);
    decoder.start(Length::None);
    assert!(decoder.trailers().is_empty());
}

#[test]
fn a_fault_stays() {
    let mut decoder = decoder(Length::Chunked);
    assert_eq!(decoder.step(b"1\r\n"), Ok(Step::Skip(3)));
    assert_eq!(decoder.step(b"a"), Ok(Step::Data(1)));
    assert_eq!(decoder.step(b"\r\nx\r\n"), Err(Fault::Chunk));
    assert_eq!(decoder.step(b"\r\n0\r\n\r\n"), Err(Fault::Chunk));
    assert_eq!(decoder.step(b""), Err(Fault::Chunk));
    assert!(!decoder.is_done());
    decoder.start(Length::Chunked);
    assert_eq!(decoder.step(b"0\r\n\r\n"), Ok(Step::End(5)));
}

#[test]
fn a_line_before_a_chunk_is_bounded() {
    let line = |length: usize| {
        let mut line = b"5;a".to_vec();
        line.resize(length - 2, b'a');
        line.extend_from_slice(b"\r\n");
        line
    };
    let longest = line(4096);
    assert_eq!(decoder(Length::Chunked).step(&longest), Ok(Step::Skip(4096)));
    assert_eq!(decoder(Length::Chunked).step(&line(4097)), Err(Fault::Chunk));
    let open = vec![b'a'; 4094];
    let open = [b"5;", &*open].concat();
    assert_eq!(decoder(Length::Chunked).step(&open[..4095]), Ok(Step::More));
    assert_eq!(decoder(Length::Chunked).step(&open), Err(Fault::Chunk));
    // white space alone after the semicolon is bounded too
    let blank = [b"5;".to_vec(), vec![b' '; 4094]].concat();
    assert_eq!(decoder(Length::Chunked).step(&blank[..4095]), Ok(Step::More));
    assert_eq!(decoder(Length::Chunked).step(&blank), Err(Fault::Chunk));
}

#[test]
fn trailers_are_bounded() {
    let trailers = |length: usize| {
        let mut bytes = b"A: ".to_vec();
        bytes.resize(length - 4, b'a');
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes
    };
    let after_size = || {
        let mut decoder = decoder(Length::Chunked);
        assert_eq!(decoder.step(b"0\r\n"), Ok(Step::Skip(3)));
        decoder
    };
    assert_eq!(after_size().step(&trailers(16 * 1024)), Ok(Step::End(16 * 1024)));
    assert_eq!(after_size().step(&trailers(16 * 1024 + 1)), Err(Fault::Trailers));
    assert_eq!(after_size().step(&trailers(20_000)[..16 * 1024 - 1]), Ok(Step::More));
    assert_eq!(after_size().step(&trailers(20_000)[..16 * 1024]), Err(Fault::Trailers));
    let many = |count: usize| format!("{}\r\n", "a: b\r\n".repeat(count)).into_bytes();
    assert_eq!(after_size().step(&many(64)), Ok(Step::End(64 * 6 + 2)));
    assert_eq!(after_size().step(&many(65)), Err(Fault::Trailers));
}

#[test]
fn a_fault_waits_for_no_more_than_its_bytes() {
    for bytes in
        [&b"x"[..], b"\r", b"\n", b"5 ", b"5x", b"5\n", b"5;\n", b"5;=", b"5;a\r ", b"5;a\0", b"00000000000000000"]
    {
        assert_eq!(decoder(Length::Chunked).step(bytes), Err(Fault::Chunk), "{}", bytes.escape_ascii());
    }
    for bytes in [&b"x"[..], b"\n", b"\rx", b"\r\n\r"] {
        let mut decoder = decoder(Length::Chunked);
        assert_eq!(decoder.step(b"1\r\n"), Ok(Step::Skip(3)));
        assert_eq!(decoder.step(b"a"), Ok(Step::Data(1)));
        assert_eq!(decoder.step(bytes), Err(Fault::Chunk), "{}", bytes.escape_ascii());
    }
}

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
