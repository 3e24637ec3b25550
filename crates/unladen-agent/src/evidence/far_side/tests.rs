use unladen_probe::GroupBy;
use unladen_trace::EvidenceSource;

use super::*;
use crate::evidence::checked::read_evidence;
use crate::frame::PIECE;

/// What is answered; or why it is refused.
fn asked(
    side: &mut EvidenceSide,
    instrument: Option<&mut Instrument>,
    ask: EvidenceAsk,
) -> Result<Vec<EvidenceAnswer>, String> {
    let mut answers = Vec::new();
    side.answer(ask, instrument, &mut |answer| {
        answers.push(answer);
        Ok::<(), String>(())
    })?;
    Ok(answers)
}

/// The pieces together.
fn whole(answers: &[EvidenceAnswer]) -> Vec<u8> {
    let piece = |answer: &EvidenceAnswer| match answer {
        EvidenceAnswer::Piece { piece, .. } => piece.clone(),
        other => panic!("{other:?}"),
    };
    answers.iter().flat_map(piece).collect()
}

/// The number of the group that this process is in, which the instrument calls its own.
fn own(instrument: &Instrument) -> u32 {
    let is_own = |group: &unladen_probe::Group| group.kind == unladen_probe::GroupKind::Own;
    let found = (0..).zip(instrument.groups()).find(|(_, (_, group))| is_own(group));
    found.expect("this very process").0
}

#[test]
fn what_must_not_be_asked_is_refused() {
    let mut side = EvidenceSide::default();
    let none = asked(&mut side, None, EvidenceAsk::Begin).unwrap_err();
    assert_eq!(none, "the probes are not open yet");
    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let mut refused = |ask| asked(&mut side, Some(&mut instrument), ask).unwrap_err();
    assert_eq!(refused(EvidenceAsk::Begin), "nothing is attached");
    let phase = EvidenceAsk::Phase { on: true, sent_ns: Vec::new(), request_ns: 0 };
    assert_eq!(refused(phase), "nothing is attached");
    let wanted = Wanted { group: 9_999_999, follows: true };
    assert_eq!(refused(EvidenceAsk::Attach { groups: vec![wanted] }), "there is no group 9999999");
    let many = vec![Wanted { group: 0, follows: true }; MAX_WANTED + 1];
    assert!(refused(EvidenceAsk::Describe { groups: many }).starts_with("257 groups, but at most 256"));
}

#[test]
fn groups_are_described_without_a_tracer() {
    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let groups = vec![Wanted { group: own(&instrument), follows: true }];
    let answers = asked(&mut EvidenceSide::default(), Some(&mut instrument), EvidenceAsk::Describe { groups }).unwrap();
    let seen = read_evidence(&whole(&answers), 1).unwrap();
    let exe = std::env::current_exe().unwrap();
    assert_eq!(seen.groups[0].exe.as_deref(), exe.to_str());
    assert!(seen.has(EvidenceSource::PhpSettings), "there is no PHP that was not asked");
    assert!(!seen.has(EvidenceSource::Syscalls));
}

/// Where tracing is not possible, and in a program without it, what is lacking is told, and the next question answered.
#[test]
fn a_phase_is_counted_or_what_is_lacking_is_told() {
    let mut side = EvidenceSide::default();
    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let groups = vec![Wanted { group: own(&instrument), follows: true }];
    let mut ask = |ask| asked(&mut side, Some(&mut instrument), ask).unwrap();
    match ask(EvidenceAsk::Attach { groups: groups.clone() }).as_slice() {
        [EvidenceAnswer::Attached] => {}
        [EvidenceAnswer::Failed { why, .. }] => {
            assert!(!why.is_empty());
            ask(EvidenceAsk::Describe { groups });
            return;
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(EvidenceAsk::Begin), [EvidenceAnswer::Begun]);
    for phase in 0..4 {
        let on = phase % 3 == 0;
        // Of clocks that are far from each other.
        let sent_ns = if on { vec![0, u64::MAX] } else { Vec::new() };
        assert_eq!(ask(EvidenceAsk::Phase { on, sent_ns, request_ns: 1 }), [EvidenceAnswer::Counted]);
    }
    let seen = read_evidence(&whole(&ask(EvidenceAsk::Finish { php: false })), 1).unwrap();
    assert!(seen.has(EvidenceSource::Syscalls) && seen.phases.all().len() == 4, "{seen:?}");
    assert_eq!(seen.page.requests, 4);
    assert!(!seen.syscalls.is_empty(), "this very process called the system");
    assert_eq!(ask(EvidenceAsk::Detach), [EvidenceAnswer::Detached]);
}

#[test]
fn pieces_are_the_whole() {
    let mut bounded = Bounded::default();
    bounded.write_all(&vec![7; PIECE + 1]).unwrap();
    let pieces: Vec<_> = in_pieces(&bounded.0).map(|(piece, last)| (piece.len(), last)).collect();
    assert_eq!(pieces, [(PIECE, false), (1, true)]);
    assert!(bounded.write_all(&vec![7; MAX_EVIDENCE]).is_err());
}
