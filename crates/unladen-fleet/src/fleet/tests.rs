//! Tests of nodes over an engine in this process: what is confirmed, and what is doubted.

use std::future::Future;
use std::sync::PoisonError;

use super::queue::{BYTES, QUEUE};
use super::*;
use crate::{BusSettings, BusUrl, MemoryEngine, Page, Wire};

/// What a node was told to forget.
#[derive(Debug, Default)]
struct Memory {
    forgotten: Mutex<Vec<What>>,
    doubted: AtomicU64,
    news: Mutex<Vec<News>>,
}

impl Memory {
    fn forgotten(&self) -> Vec<What> {
        self.forgotten.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn doubted(&self) -> u64 {
        self.doubted.load(Ordering::SeqCst)
    }

    fn has_heard(&self, meant: impl Fn(&News) -> bool) -> bool {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).iter().any(meant)
    }
}

impl Forget for Memory {
    fn forget(&self, _: Option<&str>, what: &What, _: bool) -> u64 {
        self.forgotten.lock().unwrap_or_else(PoisonError::into_inner).push(what.clone());
        1
    }

    fn doubt(&self) {
        self.doubted.fetch_add(1, Ordering::SeqCst);
    }

    fn tell(&self, news: &News) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(news.clone());
    }
}

struct Node {
    fleet: Arc<Fleet>,
    memory: Arc<Memory>,
    wire: Wire,
    task: tokio::task::JoinHandle<()>,
}

impl Node {
    /// With a lease that no test waits for.
    fn new(engine: &MemoryEngine, name: &str) -> Self {
        Self::with_lease(engine, name, Duration::from_secs(60))
    }

    fn with_lease(engine: &MemoryEngine, name: &str, lease: Duration) -> Self {
        let url = BusUrl::parse("valkey://engine").unwrap();
        let bus = BusSettings { url, ca: None, fleet: "test".into(), node: name.into(), keep: 1000 };
        let wait_for = Duration::from_millis(300);
        let settings = FleetSettings { bus, lease, when_cut_off: WhenCutOff::Revalidate, wait: Wait::All, wait_for };
        let (bus, wire) = engine.bus(name);
        let (fleet, memory) = (Fleet::over(bus, settings), Arc::new(Memory::default()));
        let task = tokio::spawn(fleet.clone().run(memory.clone()));
        Self { fleet, memory, wire, task }
    }

    fn is_connected(&self) -> bool {
        self.fleet.state().is_connected
    }

    async fn purge(&self, tag: &str) -> Outcome {
        self.fleet.purge(None, What::Tag(tag.to_owned()), false, None).await
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), test).await }).unwrap();
}

async fn until(what: impl Fn() -> bool) {
    while !what() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn tag(tag: &str) -> What {
    What::Tag(tag.to_owned())
}

#[test]
fn a_confirmed_purge_is_forgotten_by_all() {
    run(async {
        let engine = MemoryEngine::default();
        let nodes = ["a", "b", "c"].map(|name| Node::new(&engine, name));
        until(|| nodes.iter().all(Node::is_connected)).await;
        let outcome = nodes[0].purge("t").await;
        assert!(outcome.is_confirmed && outcome.why.is_none(), "{outcome:?}");
        assert_eq!(outcome.nodes.len(), 3);
        assert!(outcome.nodes.iter().all(|node| node.confirmed_after.is_some() && !node.has_left), "{outcome:?}");
        for node in &nodes {
            assert_eq!(node.memory.forgotten(), [tag("t")]);
        }
        let state = nodes[1].fleet.state();
        assert_eq!((state.received, state.lag, state.lost), (1, 0, 0), "{state:?}");
    });
}

/// A node that is cut off is waited for until its lease is over; by then it does not count on it any more.
#[test]
fn a_node_that_is_cut_off_is_waited_for_and_catches_up() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::with_lease(&engine, "b", Duration::from_millis(800)));
        until(|| a.is_connected() && b.is_connected()).await;
        b.wire.cut(true);
        let outcome = a.purge("one").await;
        if outcome.is_confirmed {
            // The test was stopped for that long.
            assert!(!b.is_connected(), "{outcome:?}");
        }
        until(|| !b.is_connected()).await;
        until(|| b.memory.has_heard(|news| matches!(news, News::CutOff { why: Some(_) }))).await;
        // As soon as the engine has it no more.
        loop {
            let outcome = a.purge("two").await;
            if outcome.is_confirmed {
                assert!(outcome.nodes.iter().all(|node| node.node == "a" || node.has_left), "{outcome:?}");
                break;
            }
        }
        assert!(b.memory.forgotten().is_empty());
        b.wire.cut(false);
        until(|| b.is_connected()).await;
        let forgotten = b.memory.forgotten();
        assert!(forgotten.starts_with(&[tag("one"), tag("two")]), "{forgotten:?}");
        let state = b.fleet.state();
        assert!(state.late >= 2 && state.cut_offs >= 1 && !state.cut_off.is_zero(), "{state:?}");
        until(|| b.memory.has_heard(|news| matches!(news, News::Connected { after: Some(_) }))).await;
        assert_eq!(b.memory.doubted(), 1, "nothing was lost since it began");
    });
}

/// An engine that stood still had not failed yet when the lease was over: it was told that purges come too fast.
#[test]
fn an_engine_that_stands_still_is_told_of() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::with_lease(&engine, "a", Duration::from_millis(400));
        until(|| a.is_connected()).await;
        a.wire.stand_still(true);
        until(|| a.memory.has_heard(|news| matches!(news, News::CutOff { .. }))).await;
        assert!(a.memory.has_heard(|news| *news == News::CutOff { why: Some(BusError::Timeout) }));
        assert_eq!(a.fleet.state().error, Some(BusError::Timeout.to_string()));
        a.wire.stand_still(false);
        until(|| a.is_connected()).await;
        assert_eq!(a.fleet.state().error, None);
    });
}

/// An engine whose memory was full removed the fleet's keys a thousand times a second. Each time was told, and the next
/// question followed at once.
#[test]
fn an_engine_that_forgets_again_and_again_is_neither_told_of_nor_asked_without_end() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::with_lease(&engine, "a", Duration::from_millis(800));
        until(|| a.is_connected()).await;
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(500) {
            engine.flush();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let lost = a.fleet.state().lost;
        assert!((2..20).contains(&lost), "{lost}");
        let told = |news: &News| matches!(news, News::Lost { .. });
        let times =
            a.memory.news.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|&news| told(news)).count();
        assert_eq!(times, 1);
        assert!(a.memory.doubted() >= lost);
        // It goes on as soon as the engine does.
        while !a.purge("t").await.is_confirmed {}
    });
}

#[test]
fn what_was_trimmed_is_doubted() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        b.wire.cut(true);
        // It reads no more: its reading from before was given the wire as it is now.
        assert!(a.fleet.purge(None, tag("one"), false, Some(Wait::Nobody)).await.is_confirmed);
        until(|| b.fleet.state().error.is_some() || !b.is_connected() || b.fleet.contact().error.is_some()).await;
        assert!(b.memory.forgotten().is_empty());
        engine.trim();
        b.wire.cut(false);
        until(|| b.memory.doubted() == 2).await;
        assert!(b.memory.has_heard(|news| matches!(news, News::Lost { .. })));
        assert_eq!(b.fleet.state().lost, 1);
    });
}

/// Nodes that count on the list of before are in no list: nothing is confirmed until their leases are over.
#[test]
fn an_engine_that_was_emptied_is_begun_anew() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        engine.flush();
        until(|| a.memory.doubted() == 2 && b.memory.doubted() == 2).await;
        let outcome = a.purge("t").await;
        assert!(outcome.written.is_some(), "{outcome:?}");
        until(|| b.memory.forgotten() == [tag("t")]).await;
    });
}

/// The list alone was lost, as when an engine whose memory is full removes a key: `0 purged`, confirmed by nobody, and a
/// node that was cut off served the old page.
#[test]
fn a_list_that_was_lost_alone_confirms_nothing() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        b.wire.cut(true);
        engine.forget_members();
        for wait in [Wait::All, Wait::Quorum] {
            let outcome = a.fleet.purge(None, tag("t"), false, Some(wait)).await;
            assert!(!outcome.is_confirmed && outcome.written.is_some(), "{outcome:?}");
        }
        assert!(b.is_connected(), "the test is none: b counts on nothing");
    });
}

/// Others that have confirmed are not all there are, where whoever asks is missing.
#[test]
fn a_list_without_the_node_that_asks_confirms_nothing() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.wire.mute(true);
        engine.bus("a").0.leave().await.unwrap();
        for wait in [Wait::All, Wait::Quorum] {
            let outcome = a.fleet.purge(None, tag("t"), false, Some(wait)).await;
            assert!(!outcome.is_confirmed, "{outcome:?}");
            assert!(outcome.why.as_ref().unwrap().contains("this node is not in"), "{outcome:?}");
            assert!(outcome.nodes.iter().any(|node| node.node == "b" && node.confirmed_after.is_some()), "{outcome:?}");
        }
        a.wire.mute(false);
        // As soon as it is in the list again.
        while !a.fleet.purge(None, tag("u"), false, Some(Wait::All)).await.is_confirmed {}
    });
}

/// It would have been told at each purge, or never.
#[test]
fn what_nobody_tells_of_is_said_once() {
    run(async {
        let engine = MemoryEngine::default();
        // What looks after it looks each 10 ms.
        let node = Node::with_lease(&engine, "a", Duration::from_millis(80));
        let said = || {
            let news = node.memory.news.lock().unwrap_or_else(PoisonError::into_inner);
            news.iter().filter(|news| **news == News::Untold).count()
        };
        until(|| node.is_connected()).await;
        node.wire.untold(2);
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(said(), 0, "a few may be chance");
        for untold in [3, 4, 0, 5] {
            node.wire.untold(untold);
            until(|| said() > 0).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(said(), 1);
        }
        node.task.abort();
    });
}

/// Each look brought other names, all of which were kept.
#[test]
fn names_of_nodes_that_change_with_each_look_are_not_all_kept() {
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    fn others() -> Vec<crate::Member> {
        let look = LOOKS.fetch_add(1, Ordering::SeqCst);
        let position = Position::new("memory.0.0", 1000).unwrap();
        (0..crate::MEMBERS).map(|n| crate::Member::new(&format!("n{look}-{n}"), position.clone()).unwrap()).collect()
    }
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::new(&engine, "a");
        until(|| a.is_connected()).await;
        engine.pretend(Some(others));
        let outcome = a.purge("t").await;
        assert!(!outcome.is_confirmed && LOOKS.load(Ordering::SeqCst) > 1, "{outcome:?}");
        assert_eq!(outcome.nodes.len(), crate::MEMBERS);
    });
}

#[test]
fn what_comes_twice_is_forgotten_once() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.purge("t").await;
        engine.repeat();
        until(|| b.fleet.state().repeated == 1).await;
        assert_eq!(b.memory.forgotten(), [tag("t")]);
    });
}

#[test]
fn what_cannot_be_read_has_everything_doubted() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::new(&engine, "a");
        until(|| a.is_connected()).await;
        for (bytes, doubted) in [(&b"FLUSHALL"[..], 2), (br#"{"v":2,"node":"z","n":1}"#, 3), (&[0xff; 30_000], 4)] {
            engine.write(bytes);
            until(|| a.memory.doubted() == doubted).await;
        }
        assert!(a.memory.has_heard(|news| matches!(news, News::Unreadable { why, .. } if why.contains("newer"))));
        assert_eq!(a.fleet.state().unreadable, 3);
        assert!(a.memory.forgotten().is_empty());
    });
}

#[test]
fn a_purge_that_the_engine_does_not_take_is_kept_and_said() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.wire.cut(true);
        let outcome = a.purge("t").await;
        assert!(!outcome.is_confirmed && outcome.written.is_none());
        assert!(outcome.why.as_ref().unwrap().contains("it is cut off"), "{outcome:?}");
        assert_eq!(a.fleet.state().waiting, 1);
        a.wire.cut(false);
        until(|| b.memory.forgotten() == [tag("t")]).await;
        until(|| a.fleet.state().waiting == 0).await;
    });
}

/// Requests that change something go on while the engine is away: what is too much to keep is told as one.
#[test]
fn more_than_may_wait_is_told_as_one() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.wire.cut(true);
        let page = Page { is_https: None, authority: "example.org".into(), target: "/".into() };
        (0..QUEUE + 200).for_each(|_| a.fleet.tell(Some("site"), What::Url(page.clone()), false));
        a.wire.cut(false);
        until(|| b.memory.forgotten().len() == QUEUE + 1).await;
        assert!(b.memory.forgotten().contains(&What::All));
        assert!(a.memory.has_heard(|news| *news == News::Overflow));
    });
}

/// Memory that was taken over is from before what this node has forgotten.
#[test]
fn going_back_forgets_again_what_came_since() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::new(&engine, "a");
        until(|| a.is_connected()).await;
        let start = a.fleet.position();
        a.purge("t").await;
        until(|| a.memory.forgotten() == [tag("t")]).await;
        a.fleet.rewind(start);
        until(|| a.memory.forgotten() == [tag("t"), tag("t")]).await;
        until(|| a.is_connected()).await;
        assert_eq!(a.memory.doubted(), 1);
        a.fleet.rewind(None);
        until(|| a.memory.doubted() == 2).await;
        until(|| a.is_connected()).await;
    });
}

/// The first reading had all that was just taken over doubted: nothing survived a restart.
#[test]
fn nothing_is_read_before_it_is_said_from_where_on() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::new(&engine, "a");
        until(|| a.is_connected()).await;
        let start = a.fleet.position();
        a.purge("t").await;
        let b = Node::new(&engine, "b");
        let hold = b.fleet.hold();
        let c = Node::new(&engine, "c");
        until(|| c.is_connected()).await;
        assert!(!b.is_connected() && b.fleet.position().is_none());
        hold.begin_at(start);
        until(|| b.is_connected()).await;
        assert_eq!(b.memory.forgotten(), [tag("t")]);
        assert_eq!(b.memory.doubted(), 0);
    });
}

#[test]
fn who_leaves_is_not_waited_for() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        let Node { fleet, task, .. } = b;
        task.abort();
        let _ = task.await;
        fleet.leave().await;
        assert!(!fleet.state().is_connected);
        let outcome = a.purge("t").await;
        assert!(outcome.is_confirmed && outcome.nodes.len() == 1, "{outcome:?}");
    });
}

/// With a wrong address in `[fleet]`, a reload that corrected it threw away what had been kept for the engine: others
/// served the old pages until their lifetime was over.
#[test]
fn what_waits_when_a_fleet_is_left_is_sent_by_the_next() {
    run(async {
        let engine = MemoryEngine::default();
        let (old, new, other) = (Node::new(&engine, "old"), Node::new(&engine, "new"), Node::new(&engine, "other"));
        until(|| old.is_connected() && new.is_connected() && other.is_connected()).await;
        old.wire.cut(true);
        let waits = {
            let fleet = old.fleet.clone();
            let wait_for = Some(Duration::from_secs(20));
            tokio::spawn(async move { fleet.purge_within(None, tag("waits"), false, None, wait_for).await })
        };
        until(|| old.fleet.unsent() == 1).await;
        old.fleet.tell(None, tag("kept"), false);
        old.task.abort();
        let _ = old.task.await;
        assert_eq!(old.fleet.hand_on(Some(&new.fleet)), 0);
        // Nobody waits for it any more.
        old.wire.cut(false);
        old.fleet.leave().await;
        // Who has not heard yet goes on to tell the old one.
        old.fleet.tell(None, tag("late"), false);
        until(|| other.memory.forgotten() == [tag("waits"), tag("kept"), tag("late")]).await;
        let outcome = waits.await.unwrap();
        assert!(outcome.written.is_some() && outcome.nodes.iter().any(|node| node.node == "other"), "{outcome:?}");
        assert_eq!((old.fleet.unsent(), new.fleet.unsent()), (0, 0));
        // What was too much for the old one is told by the next, too.
        let (another, last) = (Node::new(&engine, "another"), Node::new(&engine, "last"));
        another.fleet.queue.overflow();
        another.task.abort();
        another.fleet.hand_on(Some(&last.fleet));
        until(|| other.memory.forgotten().contains(&What::All)).await;
    });
}

/// Nobody heard of what was lost.
#[test]
fn what_nobody_sends_is_counted() {
    run(async {
        let engine = MemoryEngine::default();
        let a = Node::new(&engine, "a");
        until(|| a.is_connected()).await;
        a.wire.cut(true);
        (0..3).for_each(|_| a.fleet.tell(None, tag("t"), false));
        a.task.abort();
        assert_eq!(a.fleet.hand_on(None), 3);
        let outcome = a.purge("t").await;
        assert!(outcome.why.as_ref().unwrap().contains("has left the fleet"), "{outcome:?}");
        assert_eq!(a.fleet.hand_on(None), 0);
    });
}

/// 10,000 records of 20 KiB were 200 MB, whose size clients choose.
#[test]
fn what_waits_has_a_bound_in_bytes() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.wire.cut(true);
        let long = Page { is_https: None, authority: "example.org".into(), target: "/".repeat(16_000) };
        let most = BYTES / 16_000;
        (0..2 * most).for_each(|_| a.fleet.tell(None, What::Url(long.clone()), false));
        let waiting = a.fleet.unsent() as usize;
        assert!((most / 2..=most + 1).contains(&waiting), "{waiting} of {most}");
        a.wire.cut(false);
        until(|| b.memory.forgotten().contains(&What::All)).await;
        until(|| a.fleet.unsent() == 0).await;
        assert!(a.purge("t").await.written.is_some(), "there is room again");
    });
}

/// A flood of datagrams filled the queue of everybody: PURGE was refused.
#[test]
fn a_flood_of_htcp_leaves_room_for_other_purges() {
    run(async {
        let engine = MemoryEngine::default();
        let (a, b) = (Node::new(&engine, "a"), Node::new(&engine, "b"));
        until(|| a.is_connected() && b.is_connected()).await;
        a.wire.cut(true);
        (0..QUEUE).for_each(|_| a.fleet.tell_unverified(None, tag("flood"), false));
        assert_eq!(a.fleet.unsent() as usize, QUEUE / PART_OF_UNVERIFIED + 1);
        let outcome = a.purge("t").await;
        assert!(outcome.why.as_ref().unwrap().contains("it is kept"), "{outcome:?}");
        // While the engine is thought to be there, the next wait.
        assert!(a.is_connected());
        a.wire.cut(false);
        a.fleet.has_room().await;
        until(|| b.memory.forgotten().contains(&tag("t"))).await;
        assert!(b.memory.forgotten().contains(&What::All), "what was too much is not lost");
    });
}
