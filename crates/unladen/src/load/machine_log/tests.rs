use super::*;

#[test]
fn an_hour_takes_as_much_memory_as_a_quarter() {
    let mut log = Stretches::default();
    let times = MachineTimes { elapsed: EVERY, stolen: Duration::from_millis(10), ..Default::default() };
    for index in 1..=14_400 {
        log.push(EVERY * index, times);
    }
    assert!(log.stretches.len() <= MOST && log.every > EVERY, "{}", log.stretches.len());
    assert_eq!((log.times().elapsed, log.times().stolen), (EVERY * 14_400, Duration::from_secs(144)));
    assert!(log.stretches.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// Each 2,048th of an agent's looks doubled the length until it overflowed: after some 30 hours.
#[test]
fn looks_of_a_long_load_from_hosts_do_not_overflow() {
    let mut log = Stretches::default();
    let times = MachineTimes { elapsed: EVERY, ..Default::default() };
    let looks = 500_000;
    for index in 1..=looks {
        log.push(EVERY * index, times);
    }
    assert!(log.stretches.len() <= MOST && log.every <= EVERY * 256, "{:?}", log.every);
    assert_eq!(log.times().elapsed, EVERY * looks);
    // Whatever lengths are told.
    for _ in 0..100 * MOST {
        log.push(Duration::ZERO, MachineTimes { elapsed: Duration::from_secs(86_400), ..Default::default() });
    }
    assert!(log.stretches.len() <= MOST);
}
