//! Validators whose answers the nodes of a fleet share for a moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Serve, Upstream, Valkey, Wire, free_address, wait};

use crate::changes::{Changes, metric, number};

const PATH: &str = "/Picnic";
/// Long enough that another node's answer is found by two that take turns, also on a busy machine.
const WITHIN: Duration = Duration::from_millis(250);

struct Node {
    serve: Serve,
    address: std::net::SocketAddr,
}

impl Node {
    fn start(changes: &Changes, app: &Upstream, valkey: &Valkey) -> Self {
        let address = free_address();
        let serve = Serve::start(&format!(
            "threads = 1
             [admin]
             listen = \"unix:DIR/admin.sock\"
             [fleet]
             purges = \"{}\"
             [[site]]
             name = \"pledges\"
             listen = \"{address}\"
             upstream = \"{}\"
             [[site.validator]]
             path = \"/{{ref}}\"
             database = \"{}\"
             query = \"select n from pledges where ref = $1\"
             timeout = \"3s\"
             shared = \"250ms\"
             ",
            Valkey::url_at(valkey.address()),
            app.url(),
            changes.postgres.url("right"),
        ));
        Self { serve, address }
    }

    fn get(&self) -> u64 {
        number(&Wire::tcp(self.address).ask(format!("GET {PATH} HTTP/1.1\r\nHost: a\r\n\r\n")).is(200))
    }

    fn metric(&self, name: &str) -> u64 {
        metric(&self.serve.path("admin.sock"), name)
    }

    /// With requests, as connections are made for them.
    fn wait_until_it_shares(&self, shares: u64) {
        wait::until("it shares answers, or not", || {
            self.get();
            self.metric("unladen_validator_sharing") == shares
        });
    }
}

fn asked(nodes: &[Node; 2]) -> u64 {
    nodes.iter().map(|node| node.metric("unladen_validator_asked_total")).sum()
}

/// Reads on all nodes for so long, while something changes: how many requests there were. None got what was too old.
fn read_while_it_changes(nodes: &[Node; 2], changes: &mut Changes, more: impl FnOnce()) -> u64 {
    let (is_over, begun) = (AtomicBool::new(false), std::time::Instant::now());
    let history = std::sync::Mutex::new(changes);
    let due = || history.lock().expect("no test panics there").due(WITHIN);
    scope(|scope| {
        let readers: Vec<_> = nodes
            .iter()
            .map(|node| {
                scope.spawn(|| {
                    let mut requests = 0;
                    while !is_over.load(Ordering::SeqCst) {
                        let due = due();
                        let read = node.get();
                        assert!(read >= due, "{read}, but {due} was there for longer than {WITHIN:?}");
                        requests += 1;
                    }
                    requests
                })
            })
            .collect();
        more();
        while begun.elapsed() < Duration::from_millis(1500) && !readers.iter().any(|reader| reader.is_finished()) {
            history.lock().expect("no test panics there").change();
            std::thread::sleep(Duration::from_millis(20));
        }
        is_over.store(true, Ordering::SeqCst);
        readers.into_iter().map(|reader| reader.join().expect("no reader got an old page")).sum()
    })
}

#[test]
fn nodes_ask_less_together_and_nothing_is_older_than_the_bound() {
    let mut changes = Changes::start();
    let app = changes.application();
    let mut valkey = Valkey::start();
    let nodes = [Node::start(&changes, &app, &valkey), Node::start(&changes, &app, &valkey)];
    nodes.iter().for_each(|node| node.wait_until_it_shares(1));
    let before = asked(&nodes);
    let requests = read_while_it_changes(&nodes, &mut changes, || ());
    let questions = asked(&nodes) - before;
    assert!(questions < requests / 2, "{questions} questions for {requests} requests");
    wait::until("a node uses what the other one was answered", || {
        nodes.iter().for_each(|node| _ = node.get());
        nodes.iter().any(|node| node.metric("unladen_validator_from_others_total") > 0)
    });
    whoever_changes_it_sees_that_at_once(&nodes, &mut changes);
    what_somebody_wrote_there_is_no_answer(&nodes, &changes, &valkey);
    // One that does not answer, and one that is not there: each node asks for itself, and is no later than before.
    read_while_it_changes(&nodes, &mut changes, || valkey.signal(Signal::SIGSTOP));
    nodes.iter().for_each(|node| node.wait_until_it_shares(0));
    read_while_it_changes(&nodes, &mut changes, || ());
    valkey.signal(Signal::SIGCONT);
    nodes.iter().for_each(|node| node.wait_until_it_shares(1));
    read_while_it_changes(&nodes, &mut changes, || valkey.kill());
    nodes.iter().for_each(|node| node.wait_until_it_shares(0));
    valkey.restart();
    nodes.iter().for_each(|node| node.wait_until_it_shares(1));
    read_while_it_changes(&nodes, &mut changes, || ());
    let [one, two] = nodes;
    one.serve.stop();
    two.serve.stop();
}

/// Whichever node is asked next.
fn whoever_changes_it_sees_that_at_once(nodes: &[Node; 2], changes: &mut Changes) {
    let answer = Wire::tcp(nodes[0].address).post(PATH, "sign");
    assert!(answer.field("set-cookie").is_some_and(|cookie| cookie.starts_with("__unladen_fresh=1; Max-Age=1;")));
    for node in nodes.iter().cycle().take(10) {
        let now = changes.change();
        let lines = "Host: a\r\nCookie: __unladen_fresh=1\r\n";
        let read = Wire::tcp(node.address).ask(format!("GET {PATH} HTTP/1.1\r\n{lines}\r\n"));
        assert_eq!(number(&read), now, "whoever changed it got an old page");
    }
}

/// Neither what cannot be read, nor an answer of a later time or of another engine.
fn what_somebody_wrote_there_is_no_answer(nodes: &[Node; 2], changes: &Changes, valkey: &Valkey) {
    for value in ["?", "=", "=0000000000000000000000000000000000000000 1 v-7", "=x 99999999999999999999 v-7"] {
        let script = format!(
            "EVAL \"for _, key in ipairs(redis.call('keys', '*:answer:*')) do redis.call('set', key, '{value}', 'px', 60000) end\" 0"
        );
        valkey.say(&script);
        std::thread::sleep(WITHIN);
        let due = changes.due(WITHIN);
        nodes.iter().for_each(|node| assert!(node.get() >= due, "{value}"));
    }
    valkey.say("FLUSHALL");
}
