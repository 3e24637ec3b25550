use super::*;

#[test]
fn steal_and_throttling_are_told_apart() {
    let stolen = Taken { stolen_share: 0.313, ..Taken::default() };
    assert_eq!(stolen.to_string(), "the hypervisor took 31.3 % of the processors' time for others (steal)");
    let throttled = Taken { throttled: Duration::from_millis(2_100), ..Taken::default() };
    assert_eq!(
        throttled.to_string(),
        "the CPU quota of unladen's own control group held it back for 2.1 s (throttling)"
    );
    let both = Taken { throttled: throttled.throttled, ..stolen }.to_string();
    assert!(both.contains("(steal), and the CPU quota"), "{both}");
}

#[test]
fn a_hundredth_is_worth_a_word() {
    let second = Duration::from_secs(1);
    assert!(!Taken::default().is_notable(second) && !Taken::default().is_notable(Duration::ZERO));
    assert!(Taken { stolen_share: 0.01, ..Taken::default() }.is_notable(second));
    assert!(Taken { throttled: Duration::from_millis(10), ..Taken::default() }.is_notable(second));
    assert!(!Taken { throttled: Duration::from_millis(9), stolen_share: 0.009 }.is_notable(second));
}

#[test]
fn what_became_of_spoiled_blocks_is_said_with_its_reason() {
    let taken = Taken { stolen_share: 0.2, ..Taken::default() };
    let text = |fate| SpoiledBlocks { spoiled: 3, blocks: 15, fate }.text(&taken);
    assert!(text(SpoiledFate::LeftOut).starts_with("3 of 15 blocks are left out"));
    assert!(text(SpoiledFate::TooMany).contains("too many to leave out"));
    assert!(text(SpoiledFate::TooMany).contains("a machine that is not shared"));
    assert!(text(SpoiledFate::ByLoad).contains("the machine did more work in them"));
}
