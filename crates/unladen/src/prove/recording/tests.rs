use std::time::Duration;

use super::*;

/// Of three seconds on two processors: what was stolen of the one that was wanted.
fn block(restart: usize, stolen_ms: u64) -> BlockRecord {
    let ms = Duration::from_millis;
    let times = MachineTimes {
        elapsed: ms(1_500),
        available: ms(3_000),
        busy: ms(1_500 - stolen_ms),
        stolen: ms(stolen_ms),
        ..MachineTimes::default()
    };
    let arm = ArmRecord { times, latencies_ns: vec![stolen_ms], ..ArmRecord::default() };
    BlockRecord { restart, arms: vec![arm.clone(), arm], ..BlockRecord::default() }
}

#[test]
fn the_fastest_arm_tells_what_is_late() {
    let arm = |latencies: &[u64]| ArmRecord { latencies_ns: latencies.to_vec(), ..ArmRecord::default() };
    let with = |arms| BlockRecord { arms, ..BlockRecord::default() };
    let mut left_out = with(vec![arm(&[1, 1, 1, 1, 1])]);
    left_out.is_left_out = true;
    let blocks = vec![with(vec![arm(&[9, 7]), arm(&[2, 30])]), with(vec![arm(&[8]), arm(&[20])]), left_out];
    assert_eq!(Recording { blocks }.least_median(), Some(8));
    assert_eq!(Recording::default().least_median(), None);
}

#[test]
fn spoiled_blocks_have_no_latencies_and_keep_their_failures() {
    let mut recording = Recording { blocks: (0..10).map(|index| block(0, if index < 3 { 400 } else { 0 })).collect() };
    recording.blocks[0].arms[0].errors = 2;
    let spoiled = recording.leave_out_spoiled();
    assert_eq!((spoiled.count(), recording.counted().count()), (3, 7));
    assert_eq!(recording.observations(|block| &block.arms[0].latencies_ns).count(), 7);
    assert_eq!(recording.sum(0, |arm| arm.errors), 2);
    assert_eq!(recording.times().stolen, Duration::from_millis(3 * 2 * 400));
}

#[test]
fn blocks_that_were_spoiled_where_requests_were_sent_do_not_count() {
    let mut recording = Recording { blocks: (0..10).map(|_| block(0, 0)).collect() };
    for (index, block) in recording.blocks.iter_mut().enumerate() {
        let robbed = self::block(0, if index < 3 { 400 } else { 0 }).arms.remove(0).times;
        for arm in &mut block.arms {
            let quiet = AgentPhase { recorded: 5, times: arm.times, ..AgentPhase::default() };
            let robbed = AgentPhase { recorded: 4, times: robbed, ..AgentPhase::default() };
            arm.agents = vec![quiet, robbed];
        }
    }
    assert_eq!(recording.leave_out_spoiled().count(), 0, "nothing was taken here");
    let counts: Vec<usize> = recording.leave_out_spoiled_at_agents().iter().map(Spoiled::count).collect();
    assert_eq!((counts, recording.counted().count()), (vec![0, 3], 7));
    // What they sent is told all the same.
    let sent: Vec<u64> = (0..recording.agents()).map(|index| recording.agent(index).recorded).collect();
    assert_eq!(sent, [100, 80]);
}

#[test]
fn requests_without_records_count_as_those_with() {
    let record = |latency_ns, error| RequestRecord {
        request: 0,
        planned_ns: 0,
        lag_ns: Some(2_000),
        sent_ns: None,
        first_byte_ns: None,
        latency_ns,
        status: Some(200),
        body_bytes: 17,
        reused: true,
        retried: false,
        changed: false,
        error,
    };
    let records = [record(700, None), record(900, Some(ErrorKind::Timeout)), record(5, Some(ErrorKind::Status))];
    let (mut added, mut summed, mut summary) = (ArmRecord::default(), ArmRecord::default(), RecordSummary::default());
    for record in &records {
        added.add(record);
        summary.add(record);
    }
    summed.summarise(&summary);
    // A summary has no sizes.
    summed.body_sizes = added.body_sizes;
    // Bins below 2,048 ns are 1 ns wide.
    assert_eq!(format!("{summed:?}"), format!("{added:?}"));
}

#[test]
fn every_restart_keeps_a_block() {
    let blocks = |restarts: [usize; 9]| {
        restarts.iter().map(|restart| block(*restart, if *restart == 1 { 400 } else { 0 })).collect()
    };
    let mut recording = Recording { blocks: blocks([0, 0, 0, 1, 1, 1, 2, 2, 2]) };
    recording.leave_out_spoiled();
    assert_eq!(recording.counted().count(), 9, "three restarts are few enough");
    let mut recording = Recording { blocks: blocks([0, 1, 2, 3, 4, 5, 6, 7, 8]) };
    recording.leave_out_spoiled();
    assert_eq!(recording.counted().count(), 8, "eight restarts are as good as eight blocks");
}
