mod simulation;

use std::collections::HashMap;
use std::net::IpAddr;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use unladen_serve_config::QueueSettings;

use super::discipline::Discipline;
use super::{Entered, Flow, Place, Queue, QueueEntry, Ticket, Why};

const WAIT: Duration = Duration::from_secs(5);

fn client(number: u8) -> Flow {
    Flow::of(Some(IpAddr::from([10, 0, 0, number])), None)
}

fn queue_entry(number: u8) -> QueueEntry<'static> {
    QueueEntry { flow: client(number), ..QueueEntry::default() }
}

fn queue(running: usize, length: usize) -> Queue {
    Queue::new(&QueueSettings { running: Some(running), length, wait: WAIT, cookie: None })
}

#[track_caller]
fn place<'q>(queue: &'q Queue, queue_entry: &QueueEntry<'_>) -> Place<'q> {
    match queue.enter(queue_entry, Instant::now()).expect("it may enter") {
        Entered::Place(place) => place,
        Entered::Ticket(_) => panic!("it has to wait"),
    }
}

#[track_caller]
fn ticket<'q>(queue: &'q Queue, queue_entry: &QueueEntry<'_>) -> Ticket<'q> {
    match queue.enter(queue_entry, Instant::now()).expect("it may enter") {
        Entered::Place(_) => panic!("it need not wait"),
        Entered::Ticket(ticket) => ticket,
    }
}

fn poll<'q>(ticket: &mut Ticket<'q>) -> Poll<Result<Place<'q>, Why>> {
    ticket.poll(&Context::from_waker(Waker::noop())).map_err(|refusal| refusal.why)
}

#[test]
fn who_finds_all_places_taken_is_next() {
    let queue = queue(2, 10);
    let (first, second) = (place(&queue, &queue_entry(1)), place(&queue, &queue_entry(1)));
    let mut third = ticket(&queue, &queue_entry(1));
    let mut fourth = ticket(&queue, &queue_entry(1));
    assert!(poll(&mut third).is_pending());
    drop(first);
    let third = match poll(&mut third) {
        Poll::Ready(Ok(place)) => place,
        other => panic!("{other:?}"),
    };
    assert!(poll(&mut fourth).is_pending());
    assert_eq!((queue.state().running, queue.state().waiting), (2, 1));
    drop((second, third));
    assert!(matches!(poll(&mut fourth), Poll::Ready(Ok(_))));
    assert_eq!((queue.state().running, queue.state().waiting), (0, 0));
    assert_eq!(queue.state().waited.count(), 2);
}

#[test]
fn who_leaves_gives_up_its_place_at_once_even_if_it_was_just_given_it() {
    let queue = queue(1, 2);
    let first = place(&queue, &queue_entry(1));
    let (left, given, mut last) = (ticket(&queue, &queue_entry(1)), ticket(&queue, &queue_entry(2)), None);
    assert_eq!(queue.enter(&queue_entry(1), Instant::now()).expect_err("it is full").why, Why::Full);
    drop(left);
    last.get_or_insert_with(|| ticket(&queue, &queue_entry(3)));
    drop(first);
    // It has not looked yet.
    assert_eq!((queue.state().running, queue.state().waiting), (1, 1));
    drop(given);
    let mut last = last.expect("it waits");
    assert!(matches!(poll(&mut last), Poll::Ready(Ok(_))));
    drop(last);
    let state = queue.state();
    assert_eq!((state.running, state.waiting, state.left), (0, 0, 1));
    drop(place(&queue, &queue_entry(1)));
}

#[test]
fn whose_time_is_over_is_told_when_to_come_again() {
    let queue = queue(1, 2);
    let first = place(&queue, &queue_entry(1));
    let late = ticket(&queue, &queue_entry(1));
    let refusal = late.expire(Instant::now()).expect_err("it had no place");
    assert_eq!(refusal.why, Why::Timeout);
    assert!(refusal.after >= Duration::from_secs(1), "{refusal:?}");
    assert_eq!(queue.state().refused, [("queue_full", 0), ("queue_timeout", 1), ("overloaded", 0)]);
    // One that is given a place at the last moment has it.
    let lucky = ticket(&queue, &queue_entry(1));
    drop(first);
    drop(lucky.expire(Instant::now()).expect("it has a place"));
    assert_eq!((queue.state().running, queue.state().waiting), (0, 0));
}

#[test]
fn more_places_are_given_to_those_who_wait_and_fewer_are_taken_from_nobody() {
    let queue = Queue::new(&QueueSettings { running: None, length: 10, wait: WAIT, cookie: None });
    queue.set_running(Some(1));
    let first = place(&queue, &queue_entry(1));
    let mut tickets: Vec<_> = (0..4).map(|_| ticket(&queue, &queue_entry(1))).collect();
    queue.set_running(Some(3));
    let mut places: Vec<Place<'_>> = Vec::new();
    for ticket in &mut tickets[..2] {
        match poll(ticket) {
            Poll::Ready(Ok(place)) => places.push(place),
            other => panic!("{other:?}"),
        }
    }
    assert!(poll(&mut tickets[2]).is_pending());
    queue.set_running(Some(1));
    drop((first, places.pop()));
    assert!(poll(&mut tickets[2]).is_pending(), "one is there still");
    drop(places);
    assert!(matches!(poll(&mut tickets[2]), Poll::Ready(Ok(_))));
    // What that one gave back, the last one has.
    assert_eq!((queue.state().running, queue.state().waiting, queue.state().places), (1, 0, Some(1)));
}

#[test]
fn a_question_waits_for_nobody_and_counts() {
    let queue = queue(1, 10);
    let first = place(&queue, &queue_entry(1));
    let question = place(&queue, &QueueEntry { is_question: true, ..QueueEntry::default() });
    let mut waits = ticket(&queue, &queue_entry(1));
    drop(question);
    assert!(poll(&mut waits).is_pending());
    drop(first);
    assert!(matches!(poll(&mut waits), Poll::Ready(Ok(_))));
}

#[test]
fn where_it_is_not_known_how_many_may_nobody_waits() {
    let queue = Queue::new(&QueueSettings { running: None, length: 1, wait: WAIT, cookie: None });
    let places: Vec<_> = (0..1000).map(|_| place(&queue, &queue_entry(1))).collect();
    assert_eq!((queue.state().running, queue.state().places), (1000, None));
    drop(places);
    assert_eq!(queue.state().running, 0);
}

/// Who is next, of a queue of one place.
fn order(discipline: &mut Discipline<&'static str>, now: Instant) -> Vec<&'static str> {
    std::iter::from_fn(|| discipline.next(now, &mut Vec::new())).collect()
}

#[test]
fn clients_take_turns() {
    let (mut queue, now) = (Discipline::new(1, 100, WAIT), Instant::now());
    for (flow, item) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (2, "b2"), (1, "a4")] {
        queue.push(now, client(flow), None, item, &mut Vec::new()).expect("there is room");
    }
    assert_eq!(order(&mut queue, now), ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
}

#[test]
fn who_joins_a_greedy_client_s_request_does_not_wait_for_its_turn() {
    let (mut queue, now) = (Discipline::new(1, 100, WAIT), Instant::now());
    let mut push = |flow, key: Option<&[u8]>, item| {
        queue.push(now, client(flow), key, item, &mut Vec::new()).expect("there is room");
    };
    ["a1", "a2", "a3"].into_iter().for_each(|item| push(1, None, item));
    push(1, Some(b"/"), "front");
    push(2, None, "b1");
    queue.join(b"/", client(3));
    queue.join(b"/other", client(4));
    assert_eq!(order(&mut queue, now), ["a1", "b1", "front", "a2", "a3"]);
    // It is found no more.
    queue.join(b"/", client(3));
    assert_eq!(queue.len(), 0);
}

#[test]
fn one_who_has_most_gives_one_up_for_who_has_fewer() {
    let (mut queue, now, mut refused) = (Discipline::new(1, 4, WAIT), Instant::now(), Vec::new());
    for item in ["a1", "a2", "a3", "a4"] {
        queue.push(now, client(1), None, item, &mut refused).expect("there is room");
    }
    queue.push(now, client(1), None, "a5", &mut refused).expect_err("it has most");
    queue.push(now, client(2), None, "b1", &mut refused).expect("there is room");
    queue.push(now, client(2), None, "b2", &mut refused).expect("there is room");
    let refused_so_far: Vec<_> = refused.iter().map(|(item, refusal)| (*item, refusal.why)).collect();
    assert_eq!(refused_so_far, [("a1", Why::Full), ("a2", Why::Full)]);
    // Each has two now.
    queue.push(now, client(2), None, "b3", &mut refused).expect_err("it has as many");
    queue.push(now, client(3), None, "c1", &mut refused).expect("there is room");
    assert_eq!(queue.len(), 4);
}

/// A queue of four that is full of one client's: of the shared one, and of others.
fn full_of(others: &[u8]) -> (Discipline<&'static str>, Instant) {
    let (mut queue, now) = (Discipline::new(1, 4, WAIT), Instant::now());
    queue.push(now, client(1), Some(b"/"), "front", &mut Vec::new()).expect("there is room");
    for item in ["a1", "a2", "a3"] {
        queue.push(now, client(1), None, item, &mut Vec::new()).expect("there is room");
    }
    others.iter().for_each(|other| queue.join(b"/", client(*other)));
    (queue, now)
}

#[test]
fn a_page_that_many_waited_for_was_given_up_because_its_first_client_filled_the_queue() {
    let (mut queue, now) = full_of(&[2, 3]);
    let mut refused = Vec::new();
    queue.push(now, client(4), None, "d1", &mut refused).expect("there is room");
    assert_eq!(refused.iter().map(|(item, _)| *item).collect::<Vec<_>>(), ["a1"]);
}

#[test]
fn who_had_most_gave_nothing_up_while_a_page_stood_in_many_lines() {
    // Seven lines, and four that wait.
    let (mut queue, now) = full_of(&[2, 3, 4, 5, 6, 7]);
    queue.push(now, client(8), None, "h1", &mut Vec::new()).expect("the first client has three more than this one");
    assert_eq!(queue.len(), 4);
}

#[test]
fn of_what_others_wait_for_too_what_the_fewest_wait_for_is_given_up() {
    let (mut queue, now, mut refused) = (Discipline::new(1, 3, WAIT), Instant::now(), Vec::new());
    for (key, others) in [(b"/a", &[2, 3][..]), (b"/b", &[2]), (b"/c", &[3, 4])] {
        let item = std::str::from_utf8(key).expect("text");
        queue.push(now, client(1), Some(key), item, &mut refused).expect("there is room");
        others.iter().for_each(|other| queue.join(key, client(*other)));
    }
    queue.push(now, client(5), None, "e1", &mut refused).expect("there is room");
    assert_eq!(refused.iter().map(|(item, _)| *item).collect::<Vec<_>>(), ["/b"]);
}

#[test]
fn a_number_that_was_configured_stood_when_it_was_configured_no_more() {
    let queue = queue(4, 10);
    let settings = |running| QueueSettings { running, length: 10, wait: WAIT, cookie: None };
    // What the application says does not count meanwhile.
    queue.set_running(Some(9));
    assert_eq!(queue.state().places, Some(4));
    queue.set(&settings(None));
    assert_eq!(queue.state().places, None);
    queue.set_running(Some(9));
    queue.set(&settings(None));
    assert_eq!(queue.state().places, Some(9), "the application has said so");
    queue.set_running(None);
    assert_eq!(queue.state().places, None, "it says so no more");
    queue.set(&settings(Some(2)));
    assert_eq!(queue.state().places, Some(2));
}

#[test]
fn a_cookie_gives_an_address_eight_shares_and_no_more() {
    let address = Some(IpAddr::from([10, 0, 0, 1]));
    let flows: std::collections::HashSet<Flow> =
        (0..1000_u32).map(|number| Flow::of(address, Some(&number.to_ne_bytes()))).collect();
    assert_eq!(flows.len(), 8);
    assert!(!flows.contains(&Flow::of(address, None)));
    let v6 = |text: &str| Flow::of(text.parse().ok(), None);
    assert_eq!(v6("2001:db8::1"), v6("2001:db8::2"));
    assert_ne!(v6("2001:db8::1"), v6("2001:db8:0:1::1"));
}

#[test]
fn a_cookie_is_found_among_others() {
    let mut fields = unladen_http1::Fields::default();
    fields.push(b"cookie", b"a=1; SESSION=xyz; b=2");
    fields.push(b"Cookie", b"late=3");
    assert_eq!(super::cookie(&fields, "SESSION"), Some(&b"xyz"[..]));
    assert_eq!(super::cookie(&fields, "late"), Some(&b"3"[..]));
    assert_eq!(super::cookie(&fields, "SESS"), None);
}

/// What happens to a queue.
#[derive(Clone, Debug)]
enum Step {
    Push(u8, Option<u8>),
    Join(u8, u8),
    Next,
    Leave(usize),
    Pass(u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..6_u8, proptest::option::of(0..4_u8)).prop_map(|(flow, key)| Step::Push(flow, key)),
        1 => (0..4_u8, 0..6_u8).prop_map(|(key, flow)| Step::Join(key, flow)),
        3 => Just(Step::Next),
        1 => any::<usize>().prop_map(Step::Leave),
        2 => (0..4000_u16).prop_map(Step::Pass),
    ];
    proptest::collection::vec(step, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each one that enters leaves once: by a place, by a refusal, or by its own will; and none waits for longer than
    /// it may once anybody is given a place.
    #[test]
    fn everybody_is_answered_once(steps in steps(), places in 1..5_usize, length in 1..12_usize) {
        let (mut queue, mut now) = (Discipline::new(places, length, WAIT), Instant::now());
        let mut waiting: HashMap<u64, (u64, Instant)> = HashMap::new();
        let (mut entered, mut served, mut refused_in_all, mut left) = (0_u64, 0, 0, 0);
        for step in steps {
            let mut refused = Vec::new();
            match step {
                Step::Push(flow, key) => {
                    let key = key.map(|key| [key]);
                    let pushed = queue.push(now, client(flow), key.as_ref().map(|key| &key[..]), entered, &mut refused);
                    if let Ok(number) = pushed {
                        waiting.insert(entered, (number, now));
                    } else {
                        refused_in_all += 1;
                    }
                    entered += 1;
                }
                Step::Join(key, flow) => queue.join(&[key], client(flow)),
                Step::Next => match queue.next(now, &mut refused) {
                    Some(item) => {
                        let (_, since) = waiting.remove(&item).expect("it waited");
                        prop_assert!(now - since < WAIT);
                        served += 1;
                    }
                    None => prop_assert_eq!(waiting.len(), refused.len()),
                },
                Step::Leave(which) => {
                    let number = waiting.keys().copied().min().map(|first| first + which as u64 % 8);
                    if let Some((number, _)) = number.and_then(|item| waiting.remove(&item)) {
                        prop_assert!(queue.leave(number));
                        prop_assert!(!queue.leave(number));
                        left += 1;
                    }
                }
                Step::Pass(ms) => now += Duration::from_millis(ms.into()),
            }
            for (item, refusal) in refused {
                let (_, since) = waiting.remove(&item).expect("it waited");
                prop_assert!(refusal.why != Why::Timeout || now - since >= WAIT);
                prop_assert!(refusal.after >= Duration::from_secs(1) && refusal.after <= Duration::from_secs(120));
                refused_in_all += 1;
            }
            prop_assert_eq!(queue.len(), waiting.len());
            prop_assert!(queue.len() <= length);
        }
        prop_assert_eq!(entered, served + refused_in_all + left + queue.len() as u64);
    }

    /// As long as both have something waiting, none of two clients is served twice more than the other.
    #[test]
    fn nobody_gets_more_than_a_turn_ahead(pushes in proptest::collection::vec(0..3_u8, 1..200)) {
        let (mut queue, now) = (Discipline::new(1, 1000, WAIT), Instant::now());
        let (mut has, mut served) = ([0_usize; 3], [0_usize; 3]);
        for flow in pushes {
            queue.push(now, client(flow), None, flow, &mut Vec::new()).expect("there is room");
            has[usize::from(flow)] += 1;
        }
        while let Some(flow) = queue.next(now, &mut Vec::new()) {
            served[usize::from(flow)] += 1;
            for (one, other) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
                if served[one] < has[one] {
                    prop_assert!(served[other] <= served[one] + 1, "{served:?} of {has:?}");
                }
            }
        }
        prop_assert_eq!(served, has);
    }
}

/// Of many threads, each has its place by itself, nobody is forgotten, and in the end all places are free.
#[test]
fn threads_hand_places_on() {
    const THREADS: u8 = 8;
    const ROUNDS: usize = 300;
    let queue = queue(3, 1000);
    let (at_work, most) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    let work = |number: u8| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            for round in 0..ROUNDS {
                let entered = queue.enter(&queue_entry(number), Instant::now()).expect("there is room");
                let place = match entered {
                    Entered::Place(place) => place,
                    // Now and then one leaves.
                    Entered::Ticket(ticket) if round % 7 == 0 => {
                        drop(ticket);
                        continue;
                    }
                    Entered::Ticket(mut ticket) => {
                        let told = std::future::poll_fn(|cx| ticket.poll(cx));
                        let told = tokio::time::timeout(Duration::from_secs(30), told).await;
                        told.expect("it is not forgotten").expect("it is not refused")
                    }
                };
                let now = at_work.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
                most.fetch_max(now, std::sync::atomic::Ordering::SeqCst);
                tokio::task::yield_now().await;
                std::thread::yield_now();
                at_work.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                drop(place);
            }
        });
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|number| drop(scope.spawn(move || work(number)))));
    assert!(most.into_inner() <= 3);
    assert_eq!((queue.state().running, queue.state().waiting), (0, 0));
}
