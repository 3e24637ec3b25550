use proptest::prelude::*;

use super::*;

/// Gives its bytes in pieces of this many at most.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1).min(self.0.len());
        buffer[..most].copy_from_slice(&self.0[..most]);
        self.0 = &self.0[most..];
        Ok(most)
    }
}

proptest! {
    #[test]
    fn frames_come_as_they_were_sent(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..10),
        piece in 1..50_usize,
    ) {
        let mut sent = Vec::new();
        let mut writer = FrameWriter::new(&mut sent);
        for body in &bodies {
            writer.write(body).unwrap();
        }
        let mut reader = FrameReader::new(Pieces(&sent, piece));
        for body in &bodies {
            prop_assert_eq!(&reader.read().unwrap(), body);
        }
        prop_assert!(matches!(reader.read(), Err(FrameError::End)));
    }

    #[test]
    fn what_is_cut_off_is_no_frame(body in prop::collection::vec(any::<u8>(), 1..100), cut in 1..104_usize) {
        let mut sent = Vec::new();
        FrameWriter::new(&mut sent).write(&body).unwrap();
        let cut = cut.min(sent.len() - 1);
        prop_assert!(matches!(FrameReader::new(&sent[..cut]).read(), Err(FrameError::Cut)));
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let mut reader = FrameReader::new(&bytes[..]);
        while let Ok(body) = reader.read() {
            prop_assert!(body.len() <= bytes.len());
        }
    }
}

#[test]
fn the_longest_frame_passes_and_a_longer_one_is_refused_on_both_sides() {
    let mut sent = Vec::new();
    FrameWriter::new(&mut sent).write(&vec![7; MAX_FRAME]).unwrap();
    assert_eq!(FrameReader::new(&sent[..]).read().unwrap().len(), MAX_FRAME);
    let refused = FrameWriter::new(Vec::new()).write(&vec![7; MAX_FRAME + 1]);
    assert!(matches!(refused, Err(FrameError::TooLong(length)) if length == MAX_FRAME as u64 + 1));
    // The body is not waited for.
    let refused = FrameReader::new(&u32::MAX.to_le_bytes()[..]).read();
    assert!(matches!(refused, Err(FrameError::TooLong(length)) if length == u64::from(u32::MAX)));
}
