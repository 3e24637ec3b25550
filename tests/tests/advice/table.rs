//! The principal type is [`Table`]: what came of each fix.

use std::fmt;

use unladen_tests::advice::Fix;

/// What came of one step.
#[derive(Debug, Default)]
pub(crate) enum Outcome {
    /// There is no such step.
    #[default]
    None,
    Yes,
    No(String),
    /// It was not tried, and why.
    Untested(String),
}

/// One fix on one subject.
#[derive(Debug, Default)]
pub(crate) struct Row {
    name: String,
    rule: String,
    pub(crate) by_hand: Option<String>,
    pub(crate) applied: Outcome,
    pub(crate) site: Outcome,
    pub(crate) leak: Outcome,
    pub(crate) after: Outcome,
    pub(crate) prove: Outcome,
    /// By `unladen fix`, and undone.
    pub(crate) by_fix: Outcome,
}

#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

// === impl Outcome ===

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Yes,
            Err(why) => Self::No(why),
        }
    }
}

impl Row {
    pub(crate) fn of(name: &str, fix: &Fix) -> Self {
        Self { name: name.into(), rule: fix.rule.clone(), ..Self::default() }
    }

    pub(crate) fn failed(name: &str, rule: &str, why: &str) -> Self {
        Self { name: name.into(), rule: rule.into(), applied: Outcome::No(why.into()), ..Self::default() }
    }

    fn outcomes(&self) -> [(&'static str, &Outcome); 6] {
        [
            ("applied", &self.applied),
            ("site", &self.site),
            ("leak", &self.leak),
            ("after", &self.after),
            ("prove", &self.prove),
            ("fix", &self.by_fix),
        ]
    }
}

impl Table {
    /// Told as it comes, too: the whole takes long.
    pub(crate) fn push(&mut self, row: Row) {
        eprintln!("{row}");
        self.rows.push(row);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        let of = |row: &Row| {
            let failed = |(what, outcome): (&str, &Outcome)| match outcome {
                Outcome::No(why) => Some(format!("{} {} {what}: {why}", row.name, row.rule)),
                _ => None,
            };
            row.outcomes().into_iter().filter_map(failed).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(of).collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<34} {:<22}", self.name, self.rule)?;
        if let Some(reason) = &self.by_hand {
            return write!(f, " by hand: {reason}");
        }
        for (_, outcome) in self.outcomes() {
            let shown = match outcome {
                Outcome::Yes => "yes",
                Outcome::No(_) => "NO",
                Outcome::Untested(_) => "untested",
                Outcome::None => "-",
            };
            write!(f, " {shown:<8}")?;
        }
        for (what, outcome) in self.outcomes() {
            match outcome {
                Outcome::No(why) => write!(f, "\n    {what}: {why}")?,
                Outcome::Untested(why) => write!(f, "\n    {what}: not tested: {why}")?,
                Outcome::None | Outcome::Yes => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<34} {:<22} {:<8} {:<8} {:<8} {:<8} {:<8} {:<8}",
            "subject", "rule", "applied", "site ok", "no leak", "less", "prove", "fix"
        )?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        let by_hand = self.rows.iter().filter(|row| row.by_hand.is_some()).count();
        let untested = |row: &&Row| row.outcomes().iter().any(|(_, outcome)| matches!(outcome, Outcome::Untested(_)));
        writeln!(
            f,
            "{} findings: {} applied by program, of which {} not in all; {by_hand} by hand alone",
            self.rows.len(),
            self.rows.len() - by_hand,
            self.rows.iter().filter(untested).count()
        )
    }
}
