//! The principal type is [`Contract`]: what is held against each engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use unladen_fleet::{BusError, BusSettings, BusUrl, Position, PurgeBus, Read, Record, What, open};
use unladen_tests::wait;

/// Far above what any answer takes.
const LONG: Duration = Duration::from_secs(30);
/// Who confirms is in the list for so long.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// An engine, as nodes reach it.
pub(crate) struct Contract {
    pub(crate) url: String,
    /// One for each test.
    pub(crate) fleet: &'static str,
    /// The authorities of its certificate.
    pub(crate) ca: Option<PathBuf>,
}

impl Contract {
    /// The way of a node to it.
    pub(crate) fn bus(&self, node: &str) -> Arc<dyn PurgeBus> {
        self.keeping(node, 1000)
    }

    /// The same, which keeps so many records.
    pub(crate) fn keeping(&self, node: &str, keep: u64) -> Arc<dyn PurgeBus> {
        let url = BusUrl::parse(&self.url).expect("a URL");
        let fleet = self.fleet.to_owned();
        open(&BusSettings { url, ca: self.ca.clone(), fleet, node: node.to_owned(), keep }).expect("an engine")
    }

    /// Records come to all, once, in one order, with the positions that their writers were told.
    pub(crate) async fn records_come_in_order(&self) {
        let (one, two) = (self.bus("one"), self.bus("two"));
        let mut after = end(&*two).await;
        let written = one.publish(&texts("one", 1..=3)).await.expect("it takes them");
        let also = two.publish(&texts("two", 1..=1)).await.expect("it takes it");
        let mut read = Vec::new();
        while read.len() < 4 {
            read.extend(records(two.read_on(Some(&after), LONG).await));
            after = read.last().map(|(position, _): &(Position, Vec<u8>)| position.clone()).expect("it has some");
        }
        let positions: Vec<_> = read.iter().map(|(position, _)| position.clone()).collect();
        assert_eq!(positions, [written, also].concat());
        let bodies: Vec<_> = read.iter().map(|(_, body)| String::from_utf8_lossy(body).into_owned()).collect();
        assert_eq!(bodies, [texts("one", 1..=3), texts("two", 1..=1)].concat());
        assert!(positions.windows(2).all(|pair| pair[1].has_reached(&pair[0]) && !pair[0].has_reached(&pair[1])));
        assert!(records(two.read_on(Some(&after), Duration::ZERO).await).is_empty());
        // One that is told nothing reads on from where it is.
        assert_eq!(records(one.read_on(positions.first(), LONG).await).len(), 3);
        assert!(one.publish(&[]).await.expect("nothing is easy").is_empty());
    }

    /// Who reads while many write gets all there is, whoever commits first.
    pub(crate) async fn no_record_is_passed_over(&self) {
        const WRITERS: usize = 4;
        const EACH: u64 = 25;
        let reader = self.bus("reader");
        let mut after = end(&*reader).await;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let bus = self.bus(&format!("writer-{writer}"));
                tokio::spawn(async move {
                    for number in (1..=EACH).step_by(5) {
                        let texts = texts(&format!("writer-{writer}"), number..=number + 4);
                        bus.publish(&texts).await.expect("it takes them");
                    }
                })
            })
            .collect();
        let mut read = Vec::new();
        while read.len() < WRITERS * EACH as usize {
            for (position, body) in records(reader.read_on(Some(&after), LONG).await) {
                after = position;
                read.push(Record::read(&body).expect("a record"));
            }
        }
        for writer in writers {
            writer.await.expect("it is done");
        }
        for writer in 0..WRITERS {
            let name = format!("writer-{writer}");
            let numbers: Vec<u64> =
                read.iter().filter(|record| record.node == name).map(|record| record.number).collect();
            assert_eq!(numbers, (1..=EACH).collect::<Vec<_>>(), "{name}");
        }
        assert!(records(reader.read_on(Some(&after), Duration::ZERO).await).is_empty());
    }

    /// Who waits is told as soon as there is something.
    pub(crate) async fn who_waits_is_told(&self) {
        let (one, two) = (self.bus("one"), self.bus("two"));
        let after = end(&*two).await;
        let waiting = tokio::spawn(async move { records(two.read_on(Some(&after), LONG).await) });
        // Perhaps it does not wait yet: then it finds it there.
        tokio::time::sleep(Duration::from_millis(100)).await;
        one.publish(&texts("one", 1..=1)).await.expect("it takes it");
        assert_eq!(waiting.await.expect("it is done").len(), 1);
    }

    /// Nodes are in the list for as long as they said, and with the position that they said last.
    pub(crate) async fn members_come_and_go(&self) {
        let (one, two, three) = (self.bus("one"), self.bus("two"), self.bus("three"));
        let start = end(&*one).await;
        assert_eq!(one.confirm(&start, LEASE).await.expect("it is in"), start);
        let written = two.publish(&texts("two", 1..=1)).await.expect("it takes it").remove(0);
        // Who confirms is told of what is new.
        assert_eq!(two.confirm(&start, LEASE).await.expect("it is in"), written);
        assert_eq!(names(&*three).await, [("one".to_owned(), start.clone()), ("two".to_owned(), start.clone())]);
        assert_eq!(one.confirm(&written, LEASE).await.expect("it is in"), written);
        assert_eq!(names(&*three).await, [("one".to_owned(), written.clone()), ("two".to_owned(), start.clone())]);
        // Between two beats, the position alone is told.
        let more = one.publish(&texts("one", 1..=1)).await.expect("it takes it").remove(0);
        let told = one.tell(&more, LEASE).await.expect("it is in");
        assert!(told.is_none_or(|end| end == more));
        assert_eq!(names(&*three).await, [("one".to_owned(), more.clone()), ("two".to_owned(), start.clone())]);
        three.confirm(&written, Duration::from_millis(400)).await.expect("it is in");
        two.leave().await.expect("it leaves");
        self.until_members(&*one, &written, &["one"]).await;
        // And it comes back.
        assert_eq!(two.confirm(&written, LEASE).await.expect("it is in"), more);
        self.until_members(&*one, &written, &["one", "two"]).await;
        // Who is not in it is, once it tells anything.
        two.leave().await.expect("it leaves");
        self.until_members(&*one, &written, &["one"]).await;
        assert_eq!(two.tell(&more, LEASE).await.expect("it is in"), Some(more));
        self.until_members(&*one, &written, &["one", "two"]).await;
    }

    /// Whoever missed something is told, once, and goes on at the end.
    pub(crate) async fn what_is_trimmed_is_lost(&self) {
        let (writer, reader) = (self.keeping("writer", 10), self.keeping("reader", 10));
        let start = end(&*reader).await;
        // An engine may keep some more than it has to.
        for number in 0..60 {
            writer.publish(&texts("writer", number * 10 + 1..=number * 10 + 10)).await.expect("it takes them");
        }
        let Ok(Read::Lost { end, .. }) = reader.read_on(Some(&start), LONG).await else { panic!("it is not told") };
        assert!(end.has_reached(&start));
        assert!(records(reader.read_on(Some(&end), Duration::ZERO).await).is_empty());
        writer.publish(&texts("writer", 1..=1)).await.expect("it takes it");
        assert_eq!(records(reader.read_on(Some(&end), LONG).await).len(), 1);
    }

    /// A position of another history is none of this one.
    pub(crate) async fn another_history_is_told(&self) {
        let (one, two) = (self.bus("one"), self.bus("two"));
        let known = end(&*one).await;
        for other in [Position::new("elsewhere", 1), Position::new(known.epoch(), known.index() + 1000)] {
            let other = other.expect("a position");
            assert!(
                matches!(two.read_on(Some(&other), LONG).await, Ok(Read::Lost { end, .. }) if end == known),
                "{other}"
            );
        }
    }

    /// Whoever looks at a list that was lost, and nothing else with it, is told that it is another, or is told nothing;
    /// and whoever begins to read is not told that it has been whole since before. A node that was in the list of before
    /// may count on it for a lease.
    pub(crate) async fn a_list_that_was_lost_alone_is_another(&self, lose: impl FnOnce()) {
        let (one, two) = (self.bus("one"), self.bus("two"));
        let start = end(&*one).await;
        one.confirm(&start, LEASE).await.expect("it is in");
        two.confirm(&start, LEASE).await.expect("it is in");
        assert_eq!(names(&*one).await.len(), 2);
        let written = one.publish(&texts("one", 1..=1)).await.expect("it takes it").remove(0);
        assert_eq!(one.members().await.expect("a list").0, written);
        // So that a list of before can be told from one of now, where it is counted in seconds.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let lost_at = std::time::Instant::now();
        lose();
        for _ in 0..3 {
            if let Ok((end, members)) = one.members().await {
                // A list without whoever asks vouches for nobody.
                let has_asker = members.iter().any(|member| member.node() == "one");
                assert!(end.epoch() != written.epoch() || !has_asker, "it vouches for {members:?}");
            }
            // Nor does it once whoever asks is in it again.
            let _ = one.confirm(&written, LEASE).await;
        }
        let read = match self.bus("three").read_on(None, Duration::ZERO).await {
            // The connection that notices may be the first to be told.
            Err(_) => self.bus("three").read_on(None, Duration::ZERO).await,
            read => read,
        };
        let Ok(Read::Lost { whole_for, .. }) = read else { panic!("{read:?}") };
        assert!(whole_for <= lost_at.elapsed(), "{whole_for:?}");
    }

    /// Whoever looks is a node that goes on saying that it is there.
    async fn until_members(&self, bus: &dyn PurgeBus, at: &Position, expected: &[&str]) {
        let begun = std::time::Instant::now();
        loop {
            bus.confirm(at, LEASE).await.expect("it is in");
            let names: Vec<String> = names(bus).await.into_iter().map(|(name, _)| name).collect();
            if names == expected {
                return;
            }
            assert!(begun.elapsed() < LONG, "{names:?} instead of {expected:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A server for all tests of this program: it ends with the thread that started it, and no test's does.
pub(crate) fn kept<T: Send + Sync + 'static>(start: impl FnOnce() -> T + Send + 'static) -> &'static T {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let server: &'static T = Box::leak(Box::new(start()));
        tell.send(server).expect("somebody waits for it");
        loop {
            std::thread::park();
        }
    });
    told.recv().expect("it comes up")
}

/// Runs it as `unladen serve` does, on one thread.
pub(crate) fn on_one_thread(what: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), what).await.expect("it does not take for ever");
    });
}

/// Why an engine is not read from. Once more, if that is only that a busy machine took too long.
pub(crate) async fn refusal(bus: &dyn PurgeBus) -> BusError {
    let mut refused = None;
    for _ in 0..10 {
        let read = bus.read_on(None, Duration::ZERO).await;
        let error = read.expect_err("it is not to be read from");
        let is_slow = error == BusError::Timeout;
        refused = Some(error);
        if !is_slow {
            break;
        }
    }
    refused.expect("it was asked")
}

/// Where the end is, as one that has just begun is told.
pub(crate) async fn end(bus: &dyn PurgeBus) -> Position {
    match bus.read_on(None, Duration::ZERO).await {
        Ok(Read::Lost { end, .. }) => end,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn records(read: Result<Read, BusError>) -> Vec<(Position, Vec<u8>)> {
    match read {
        Ok(Read::Records(records)) => records,
        other => panic!("{other:?}"),
    }
}

async fn names(bus: &dyn PurgeBus) -> Vec<(String, Position)> {
    let mut members: Vec<_> = bus
        .members()
        .await
        .expect("a list")
        .1
        .into_iter()
        .map(|member| (member.node().to_owned(), member.position().clone()))
        .collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    members
}

/// Records of this node with these numbers.
pub(crate) fn texts(node: &str, numbers: std::ops::RangeInclusive<u64>) -> Vec<String> {
    let record = |number| Record { node: node.to_owned(), number, site: None, what: What::All, is_soft: true };
    numbers.map(|number| record(number).write()).collect()
}

/// Something that fails now and soon will not.
pub(crate) fn until_it_is_back(is_back: impl FnMut() -> bool) {
    wait::until("it is back", is_back);
}
