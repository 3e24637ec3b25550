//! What a [`Run`] shows while it measures: the group with the most CPU.

use unladen_lockin::{Block, Weight};
use unladen_report::{Kind, Quantity};

use super::Run;
use crate::weigh::edge::SeriesKind;

/// Groups considered between rounds.
const CANDIDATES: usize = 5;

impl Run<'_> {
    /// The group with the most CPU per request of one URL, as far as known.
    pub(super) fn heaviest(&self, url: usize) -> Option<(String, Weight)> {
        // Sorted by plain sums, so that pairs of blocks are evaluated for few groups: a noisy background may have the
        // largest sum, and is skipped.
        let sum = |blocks: &[Block]| blocks.iter().map(Block::excess).sum::<f64>();
        let mut groups: Vec<(&String, Vec<Block>)> = self
            .catalog
            .groups()
            .filter(|(_, group)| matches!(group.kind, SeriesKind::Machine | SeriesKind::Processes))
            .filter_map(|(id, group)| {
                let cpu = self.catalog.named(id, "cpu")?;
                Some((&group.name, self.recording.series(url, cpu.source, |phase| phase.of(cpu))))
            })
            .collect();
        groups.sort_by(|a, b| sum(&b.1).total_cmp(&sum(&a.1)));
        let (name, weight) = groups
            .iter()
            .take(CANDIDATES)
            .filter_map(|(name, blocks)| Some((*name, Weight::of(blocks).ok()?)))
            .find(|(_, weight)| weight.per_request.low > 0.0)?;
        Some((name.clone(), weight))
    }

    pub(super) fn show(&self, heaviest: Option<&(String, Weight)>) {
        let elapsed = self.recording.elapsed();
        let done = match self.options.budget.requests {
            Some(wanted) => {
                let of_each = self.recording.requests_of_each(self.options.driver.requests.len());
                of_each as f64 / wanted.max(1) as f64
            }
            None => elapsed.as_secs_f64() / self.plan.time.as_secs_f64(),
        };
        let what = heaviest.map_or("too few blocks yet for an interval".to_owned(), |(group, weight)| {
            let cpu = weight.per_request;
            let quantity = Quantity { kind: Kind::Time, value: cpu.value, margin: cpu.margin() };
            format!("{group} {quantity} (±{:.1} %)", cpu.relative_half_width() * 100.0)
        });
        let planned = self.options.budget.requests.is_none().then_some(self.plan.time);
        self.progress.at(done, elapsed, planned, &what);
    }
}
