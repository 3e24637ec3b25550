use super::*;

/// As Pids are used, with processes that are known once found.
struct Look {
    folder: tempfile::TempDir,
    procfs: ProcFs,
    pids: Pids,
    now: Instant,
}

impl Look {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for pid in ["1", "10", "12"] {
            std::fs::create_dir(folder.path().join(pid)).unwrap();
        }
        let procfs = ProcFs::new(folder.path());
        Self { folder, procfs, pids: Pids::default(), now: Instant::now() }
    }

    fn at(&mut self, latest: i32, known: &[i32]) -> Vec<i32> {
        std::fs::write(self.folder.path().join("loadavg"), format!("0.00 0.01 0.05 1/123 {latest}\n")).unwrap();
        let mut pids = known.to_vec();
        self.pids.find(&mut self.procfs, self.now, &mut pids, |pid| known.contains(&pid)).unwrap();
        pids.sort_unstable();
        pids
    }
}

const LISTED: [i32; 3] = [1, 10, 12];

#[test]
fn new_ids_are_asked_for_at_two_looks() {
    let mut look = Look::new();
    assert_eq!(look.at(12, &[]), LISTED);
    assert_eq!(look.at(13, &LISTED), LISTED, "nothing is known of the look before the first");
    assert_eq!(look.at(15, &LISTED), [1, 10, 12, 13, 14, 15]);
    assert_eq!(look.at(16, &[1, 10, 12, 15]), [1, 10, 12, 14, 15, 16], "each once");
    assert_eq!(look.at(16, &[1, 10, 12, 15]), [1, 10, 12, 15, 16]);
    assert_eq!(look.at(16, &[5]), [5], "those known are asked, whatever /proc would list");
}

#[test]
fn all_is_listed_when_ids_go_round_or_are_too_many() {
    let mut look = Look::new();
    for latest in [12, 13, 14] {
        look.at(latest, &LISTED);
    }
    assert_eq!(look.at(11, &[5]), LISTED, "gone round");
    assert_eq!(look.at(11, &[5]), LISTED, "gone round since the look before");
    assert_eq!(look.at(11, &[5]), [5]);
    assert_eq!(look.at(16, &[5]), LISTED, "more new ids than listing costs");
}

#[test]
fn all_is_listed_when_ids_may_have_gone_round_unseen() {
    let mut look = Look::new();
    for wait_ms in [0, 600, 600, 600] {
        look.now += Duration::from_millis(wait_ms);
        look.at(12, &[5]);
    }
    assert_eq!(look.at(12, &[5]), [5]);
    look.now += LONGEST_GAP + Duration::from_millis(1);
    assert_eq!(look.at(12, &[5]), LISTED);
}

#[test]
fn all_is_listed_now_and_then_and_when_the_latest_id_is_not_told() {
    let mut look = Look::new();
    let listed = (0..3 * LISTED_EVERY).filter(|_| look.at(12, &[5]) == LISTED).count();
    assert_eq!(listed, 4, "two at the beginning, then every sixteenth");
    std::fs::remove_file(look.folder.path().join("loadavg")).unwrap();
    let mut pids = vec![5];
    look.pids.find(&mut look.procfs, look.now, &mut pids, |_| true).unwrap();
    pids.sort_unstable();
    assert_eq!(pids, LISTED);
}
