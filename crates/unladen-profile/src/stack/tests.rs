use super::*;
use crate::frame::{Frame, Frames};

#[test]
fn what_stacks_begin_with_is_kept_once() {
    let mut frames = Frames::default();
    let [a, b] = ["a", "b"].map(|name| frames.intern(Frame::function(name)));
    let mut stacks = Stacks::default();
    assert!(stacks.is_empty() && stacks.len() == 1);
    let deep = stacks.intern([a, b, a]);
    let other = stacks.intern([a, b, b]);
    assert_eq!(stacks.intern([a, b]), stacks.below(deep).unwrap());
    assert_eq!(stacks.below(other), stacks.below(deep));
    assert_eq!(stacks.len(), 5);
    assert_eq!(stacks.outwards_in(deep), [a, b, a]);
    assert_eq!(stacks.inwards_out(other).collect::<Vec<_>>(), [b, b, a]);
    assert_eq!((stacks.frame(stacks.root()), stacks.below(stacks.root())), (None, None));
    assert_eq!(stacks.outwards_in(stacks.root()), []);
    let ids: Vec<usize> = stacks.iter().map(StackId::index).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4]);
    assert!(stacks.iter().skip(1).all(|stack| stacks.below(stack).unwrap() < stack));
    assert_eq!((stacks.id(4), stacks.id(5), stacks.id(u32::MAX)), (Some(other), None, None));
}
