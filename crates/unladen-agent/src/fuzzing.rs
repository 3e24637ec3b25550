//! For the fuzz targets `agent_frame` and `agent_session`: answers of an agent, as the asking side reads them.

use crate::ask::Answer;
use crate::evidence::{EvidenceAnswer, read_evidence};
use crate::frame::{FrameReader, decode};
use crate::hello::Hello;
use crate::probes::{Account, FarReading, ProbeAnswer};
use crate::session::reader::heard;

/// Reads these bytes as all of an agent's output, and checks what is kept of it.
///
/// # Panics
/// If what is kept cannot be used.
pub fn answers(bytes: &[u8]) {
    let mut frames = FrameReader::new(bytes);
    let mut account: Option<Account> = None;
    let mut reading = FarReading::default();
    while let Ok(body) = frames.read() {
        if let Some(hello) = Hello::decode(&body) {
            assert_eq!(Hello::decode(&hello.encode()), Some(hello));
        }
        match (decode::<Answer>(&body), &mut account) {
            (Ok(Answer::Probes(ProbeAnswer::Opened(opened))), None) => account = Account::new(opened).ok(),
            (Ok(Answer::Probes(answer)), Some(account)) => {
                if account.add(&mut reading, answer).is_err() {
                    return;
                }
            }
            (Ok(Answer::Evidence(EvidenceAnswer::Piece { piece, .. })), _) => evidence(&piece),
            _ => {}
        }
    }
    let Some(account) = account else { return };
    for (group, counter, _) in &reading.grown {
        assert!(*group < account.groups().len() && *counter < account.opened().counters.len());
    }
    assert!(account.groups().iter().all(|group| !group.name.chars().any(char::is_control)));
}

/// Reads these bytes as another host's output, its shell's lines before the agent's frames.
///
/// # Panics
/// If the reason for its end cannot be shown.
pub fn session(bytes: &[u8]) {
    let (count, why) = heard(bytes, "unladen-agent-0 ");
    assert!(count <= bytes.len() && !why.is_empty());
    assert!(!why.chars().any(char::is_control), "{why:?}");
}

fn evidence(json: &[u8]) {
    let Ok(mut evidence) = read_evidence(json, 1) else { return };
    assert!(evidence.response.is_none() && evidence.page.url.is_empty() && evidence.host.is_none());
    evidence.each_text(&mut |text| assert!(!text.chars().any(char::is_control)));
}
