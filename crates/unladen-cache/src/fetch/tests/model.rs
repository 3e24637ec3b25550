//! A filling against a naive one, on any sequence of operations.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Join,
    Tell(Option<usize>),
    Push(usize),
    End,
    Break,
    Read(usize),
    Leave(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Join),
        1 => Just(Op::Tell(None)),
        1 => (0..50_usize).prop_map(|window| Op::Tell(Some(window))),
        6 => prop_oneof![0..60_usize, 60_000..70_000_usize].prop_map(Op::Push),
        1 => Just(Op::End),
        1 => Just(Op::Break),
        8 => (0..6_usize).prop_map(Op::Read),
        2 => (0..6_usize).prop_map(Op::Leave),
    ]
}

/// A reader, with what a naive filling knows of it.
struct Known {
    reader: FetchReader,
    read: usize,
    woken: Arc<Woken>,
    waker: Waker,
    /// How often it had been woken when it began to wait.
    waits: Option<usize>,
}

impl Known {
    fn new(reader: FetchReader) -> Self {
        let (woken, waker) = woken();
        Self { reader, read: 0, woken, waker, waits: None }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn it_does_what_a_naive_one_does(ops in prop::collection::vec(op(), 1..60)) {
        let fetches = InFlightFetches::new();
        let (fill, reader) = lead(&fetches, "k");
        let mut fill = Some(fill);
        let mut readers = BTreeMap::from([(0, Known::new(reader))]);
        let mut body: Vec<u8> = Vec::new();
        let mut told: Option<Option<usize>> = None;
        let mut is_whole = false;
        for op in ops {
            let window = told.flatten().map(|window| window.max(1));
            // Whether a reader that waits has to be woken.
            let mut is_news = false;
            match op {
                Op::Join => match fetches.join(b"k") {
                    Joined::Follow(reader) => {
                        prop_assert!(fill.is_some() && window.is_none());
                        let place = (1..).find(|place| !readers.contains_key(place)).unwrap();
                        readers.insert(place, Known::new(reader));
                    }
                    Joined::Lead(..) => prop_assert!(fill.is_none() || window.is_some()),
                },
                Op::Tell(window) => if let Some(fill) = &fill {
                    fill.tell("head", window.map(|window| (window, "others")));
                    if told.is_none() {
                        told = Some(window);
                        is_news = true;
                    }
                },
                Op::Push(length) => if let Some(fill) = &mut fill {
                    let data: Vec<u8> = (0..length).map(|n| (n + body.len()) as u8).collect();
                    let waits = body.len() - readers.get(&0).map_or(0, |leader| leader.read);
                    let expected = match window {
                        None => Poll::Ready(Ok(length)),
                        Some(_) if !readers.contains_key(&0) => Poll::Ready(Err(())),
                        Some(window) => match window.saturating_sub(waits).min(length) {
                            0 if length > 0 => Poll::Pending,
                            count => Poll::Ready(Ok(count)),
                        },
                    };
                    prop_assert_eq!(push(fill, &data), expected);
                    if let Poll::Ready(Ok(count)) = expected {
                        body.extend(&data[..count]);
                        is_news = told.is_some() && count > 0;
                    }
                },
                Op::End => if let Some(fill) = fill.take() {
                    prop_assert_eq!(fill.end().map(Vec::from), window.is_none().then(|| body.clone()));
                    is_whole = true;
                    is_news = true;
                },
                Op::Break => is_news = fill.take().is_some(),
                Op::Read(place) => if let Some(known) = readers.get_mut(&place) {
                    let mut cx = Context::from_waker(&known.waker);
                    let is_other = place != 0 && window.is_some();
                    let head = match told {
                        Some(_) if is_other => Poll::Ready(Some("others")),
                        Some(_) => Poll::Ready(Some("head")),
                        None if fill.is_none() => Poll::Ready(None),
                        None => Poll::Pending,
                    };
                    prop_assert_eq!(known.reader.poll_head(&mut cx), head);
                    let piece = known.reader.poll_piece(&mut cx);
                    if told.is_some() && !is_other && known.read < body.len() {
                        let Poll::Ready(Ok(Some(piece))) = piece else { panic!("there is more: {piece:?}") };
                        prop_assert_eq!(&piece[..], &body[known.read..][..piece.len()]);
                        prop_assert!(!piece.is_empty());
                        known.read += piece.len();
                        known.waits = None;
                    } else {
                        let expected = match (is_other, fill.is_some(), is_whole) {
                            (true, ..) | (_, false, false) => Poll::Ready(Err(())),
                            (_, false, true) => Poll::Ready(Ok(None)),
                            (_, true, _) => Poll::Pending,
                        };
                        prop_assert_eq!(&piece, &expected);
                        known.waits = piece.is_pending().then(|| known.woken.count());
                    }
                },
                Op::Leave(place) => drop(readers.remove(&place)),
            }
            for known in readers.values_mut().filter(|known| known.waits.is_some()) {
                let is_woken = known.waits.is_some_and(|before| known.woken.count() > before);
                prop_assert_eq!(is_woken, is_news);
                if is_woken {
                    known.waits = None;
                }
            }
        }
        drop((fill, readers));
        prop_assert_eq!(fetches.in_flight(), (0, 0));
        prop_assert!(fetches.shared.by_key().is_empty());
    }
}
