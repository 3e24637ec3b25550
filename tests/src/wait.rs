//! Waiting for what another process, thread or task does: [`until`], [`until_ok`], [`within`] and [`until_async`].

use std::fmt::Display;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far above what anything takes that a test waits for, on a machine with much else to do.
const LIMIT: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until this is so.
///
/// # Panics
/// With these words, if it never is.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    until_ok(what, || if is_so() { Ok(()) } else { Err("it is not so") });
}

/// Waits until this is so, for so long at most; whether it is.
pub fn within(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if begun.elapsed() > limit {
            return false;
        }
        sleep(PAUSE);
    }
}

/// Waits until this is so, and lets other tasks go on meanwhile.
///
/// # Panics
/// With these words, if it never is.
pub async fn until_async(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited for {LIMIT:?} until {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until this comes to something, and returns that.
///
/// # Panics
/// With these words and the last error, if it never does.
#[track_caller]
pub fn until_ok<T, E: Display>(what: &str, mut attempt: impl FnMut() -> Result<T, E>) -> T {
    let begun = Instant::now();
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(error) if begun.elapsed() > LIMIT => panic!("waited for {LIMIT:?} until {what}: {error}"),
            Err(_) => sleep(PAUSE),
        }
    }
}
