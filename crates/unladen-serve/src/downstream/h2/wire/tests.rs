use proptest::prelude::*;

use super::*;

fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, 1], payload].concat()
}

fn passed(frames: &mut Frames, bytes: &[u8]) -> Option<u64> {
    frames.pass(bytes);
    frames.head()
}

#[test]
fn what_goes_before_the_first_frames_end_is_a_head() {
    let mut frames = Frames::after(3);
    assert_eq!(frames.head(), Some(1));
    assert_eq!(passed(&mut frames, b"PRI"), Some(1));
    let settings = frame(4, 0, &[0; 6]);
    assert_eq!(passed(&mut frames, &settings[..14]), Some(1));
    assert_eq!(passed(&mut frames, &settings[14..]), None);
    let mut frames = Frames::after(0);
    assert_eq!(passed(&mut frames, &frame(4, 0, &[])), None);
}

#[test]
fn a_head_is_under_way_from_its_first_frame_to_the_end_of_its_last() {
    let mut frames = Frames::after(0);
    frames.pass(&frame(4, 0, &[]));
    let whole = frame(HEADERS, END_HEADERS, b"abc");
    assert_eq!(passed(&mut frames, &whole[..8]), None, "what it is is not known");
    assert_eq!(passed(&mut frames, &whole[8..9]), Some(2));
    assert_eq!(passed(&mut frames, &whole[9..]), None);
    assert_eq!(passed(&mut frames, &frame(HEADERS, 0, b"")), Some(3));
    for _ in 0..3 {
        assert_eq!(passed(&mut frames, &frame(CONTINUATION, 0, b"a")), Some(3), "it is the same");
    }
    assert_eq!(passed(&mut frames, &frame(CONTINUATION, END_HEADERS, b"")), None);
    assert_eq!(passed(&mut frames, &frame(DATA, 0, b"abc")), None);
    assert_eq!(frames.bodies, 3);
}

fn any_frame() -> impl Strategy<Value = (u8, u8, Vec<u8>)> {
    (0_u8..12, any::<u8>(), prop::collection::vec(any::<u8>(), 0..40))
}

proptest! {
    #[test]
    fn it_does_not_matter_in_which_pieces_frames_come(
        frames in prop::collection::vec(any_frame(), 0..20),
        sizes in prop::collection::vec(1_usize..30, 1..20),
    ) {
        let bytes = frames.iter().flat_map(|(kind, flags, payload)| frame(*kind, *flags, payload)).collect::<Vec<_>>();
        let mut at_once = Frames::after(0);
        at_once.pass(&bytes);
        let mut by_piece = Frames::after(0);
        let mut rest = &bytes[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            by_piece.pass(piece);
            rest = after;
        }
        prop_assert_eq!(at_once.head(), by_piece.head());
        prop_assert_eq!(at_once.bodies, by_piece.bodies);
        let bodies = frames.iter().filter(|(kind, ..)| *kind == DATA).map(|(.., payload)| payload.len() as u64);
        prop_assert_eq!(at_once.bodies, bodies.sum::<u64>());
        // Whatever comes instead of frames.
        let mut noise = Frames::after(7);
        noise.pass(&bytes);
    }
}
