use super::*;

fn is_closed(one: &IsIdle<'_>) -> bool {
    one.poll(&Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn of_the_client_with_the_most_the_oldest_go_first() {
    let (idle, of) = (Idle::default(), UpstreamIndex::default());
    let (one, many) = (Some([192, 0, 2, 1].into()), Some([192, 0, 2, 2].into()));
    let honest = idle.enter(of, one);
    drop(idle.enter(of, one));
    let greedy: Vec<_> = (0..5).map(|_| idle.enter(of, many)).collect();
    assert!(!is_closed(&honest) && !greedy.iter().any(is_closed));
    assert_eq!(idle.close(of, 2), 2);
    assert_eq!(greedy.iter().map(is_closed).collect::<Vec<_>>(), [true, true, false, false, false]);
    assert!(!is_closed(&honest));
    assert_eq!(idle.close(of, 10), 3);
    assert_eq!(idle.close(of, 10), 1, "now it is the one that has the most");
    assert_eq!(idle.close(of, 10), 0);
    drop((honest, greedy));
    assert_eq!(idle.list.borrow().free.len(), 6);
}

#[test]
fn a_proxy_that_speaks_for_many_is_no_client_with_the_most() {
    let (idle, of) = (Idle::default(), UpstreamIndex::default());
    let of_proxy: Vec<_> = (0..5).map(|_| idle.enter(of, None)).collect();
    let own = idle.enter(of, Some([192, 0, 2, 1].into()));
    assert_eq!(idle.close(of, 10), 1);
    assert!(is_closed(&own) && !of_proxy.iter().any(is_closed));
    assert_eq!(idle.close(of, 2), 2, "if there is nobody else");
}
