//! Edits while many read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::wiki::{Visitor, WIKI, at, is_hit, newest, reader};

const EDITS: u64 = 20;

/// What is known to be true, and whether there is more to come.
struct Truth {
    /// The newest revision whose editor has been told that it is saved.
    saved: AtomicU64,
    is_over: AtomicBool,
}

/// However the edits end, nobody reads on.
struct Over<'t>(&'t Truth);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

impl Truth {
    /// Reads until all is over, each time no less than what was saved before. How many answers came from memory, and
    /// how many not.
    fn hold(&self, visitor: &mut Visitor, path: &str, word: &str, who: Option<&str>) -> (u64, u64) {
        let mut count = (0, 0);
        while !self.is_over.load(Ordering::SeqCst) {
            let saved = self.saved.load(Ordering::SeqCst);
            let answer = visitor.read(path);
            let shown = newest(&answer, word);
            assert!(shown >= Some(saved), "{path} shows {shown:?} after {saved} was saved: {:?}", answer.fields);
            assert_eq!(reader(&answer).as_deref(), who, "{path}");
            if is_hit(&answer) { count.0 += 1 } else { count.1 += 1 }
        }
        count
    }
}

/// Every request that starts after the answer to an edit has come gets the edit: of the page and of its history, in
/// each coding, whoever asks.
#[test]
fn no_request_that_follows_an_edit_gets_an_older_page() {
    let mut editor = Visitor::editor();
    editor.edit("Busy", "text-0", "summary-0");
    let truth = Truth { saved: AtomicU64::new(0), is_over: AtomicBool::new(false) };
    let history = "/index.php?title=Busy&action=history".to_owned();
    let readers = [
        (at("Busy"), "text-", ""),
        (at("Busy"), "text-", ""),
        (at("Busy"), "text-", "Cookie: _ga=1\r\n"),
        // Two variants: MediaWiki says that its pages vary by coding.
        (at("Busy"), "text-", "Accept-Encoding: identity;q=1, br;q=0\r\n"),
        (history, "summary-", ""),
    ];
    let counts = thread::scope(|scope| {
        let read: Vec<_> = readers
            .iter()
            .map(|(path, word, more)| {
                let truth = &truth;
                scope.spawn(move || {
                    let mut visitor = Visitor::anonymous();
                    visitor.more = (*more).to_owned();
                    truth.hold(&mut visitor, path, word, None)
                })
            })
            .collect();
        let user = scope.spawn(|| truth.hold(&mut Visitor::editor(), &at("Busy"), "text-", Some(WIKI.get("ACCOUNT"))));
        let over = Over(&truth);
        for revision in 1..=EDITS {
            editor.edit("Busy", &format!("text-{revision}"), &format!("summary-{revision}"));
            truth.saved.store(revision, Ordering::SeqCst);
            // As long as it takes until somebody has read it.
            thread::sleep(std::time::Duration::from_millis(50 * (revision % 4)));
        }
        drop(over);
        let counts: Vec<_> = read.into_iter().map(|read| read.join().unwrap()).collect();
        assert_eq!(user.join().unwrap().0, 0, "a user's page came from memory");
        counts
    });
    // Else nothing of this says anything of what is kept.
    for (hits, others) in &counts {
        assert!(*hits > EDITS && *others > 0, "from memory, and not: {counts:?}");
    }
}
