use super::*;

/// A host that has lost records of ended processes; after so many answers it is gone.
struct Losing {
    answers: usize,
}

impl EdgeSource for Losing {
    fn name(&self) -> &str {
        "db"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Host
    }

    fn settle(&self) -> Duration {
        Duration::ZERO
    }

    fn ask(&mut self) {}

    fn answer(&mut self, _deadline: Instant) -> Result<EdgeReading, String> {
        self.answers = self.answers.checked_sub(1).ok_or_else(|| "Broken pipe".to_owned())?;
        Ok(EdgeReading::default())
    }

    fn series(&self) -> &[Series] {
        &[]
    }

    fn has_lost(&self) -> bool {
        true
    }

    fn notes(&mut self) -> Vec<String> {
        vec!["records of ended processes were lost there".to_owned()]
    }
}

/// A host that had lost records, and then went away, was told of as if it had lost none: its rows stood unmarked.
#[test]
fn a_host_that_is_gone_has_still_lost_what_it_lost() {
    let mut edges = Edges::new(vec![Box::new(Losing { answers: 1 }), Box::new(Losing { answers: 9 })]);
    let (mut catalog, cancel) = (Catalog::default(), Cancel::new());
    for is_there in [true, false] {
        edges.ask();
        let answers = edges.answers(&mut catalog, &cancel);
        assert_eq!(answers.iter().map(Option::is_some).collect::<Vec<_>>(), [is_there, true]);
    }
    let fates = edges.fates();
    assert_eq!(fates.iter().map(|fate| fate.gone.is_some()).collect::<Vec<_>>(), [true, false]);
    assert!(fates.iter().all(|fate| fate.has_lost && fate.notes.len() == 1), "{fates:?}");
}
