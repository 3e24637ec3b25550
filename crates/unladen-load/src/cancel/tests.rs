use super::*;

#[test]
fn waits_in_vain_when_nobody_throws_it() {
    assert!(!Cancel::new().wait(Duration::from_millis(1)));
}

#[test]
fn stays_thrown_for_all_who_hold_it() {
    let cancel = Cancel::new();
    cancel.clone().cancel();
    assert!(cancel.is_cancelled());
    assert!(cancel.wait(Duration::from_secs(60)));
}

#[tokio::test]
async fn wakes_a_task() {
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let thread = std::thread::spawn(move || switch.cancel());
    cancel.cancelled().await;
    cancel.cancelled().await;
    thread.join().unwrap();
}
