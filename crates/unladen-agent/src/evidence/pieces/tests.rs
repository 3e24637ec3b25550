use super::*;

#[test]
fn pieces_are_the_whole() {
    let mut bounded = Bounded::default();
    bounded.write_all(&vec![7; PIECE + 1]).unwrap();
    let pieces: Vec<_> = bounded.pieces().map(|(piece, last)| (piece.len(), last)).collect();
    assert_eq!(pieces, [(PIECE, false), (1, true)]);
    assert!(bounded.write_all(&vec![7; MAX_EVIDENCE]).is_err());
}
