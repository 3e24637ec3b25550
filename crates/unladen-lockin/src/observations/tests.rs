use super::*;

impl Observations {
    /// An arm of these blocks of this one, in one restart.
    pub(crate) fn drawn(&self, blocks: &[usize]) -> Self {
        let mut arm = Self::new();
        for block in blocks {
            arm.arms[0].push(self.arms[0][*block].clone());
            arm.layout.push_block();
        }
        arm
    }
}

fn arm(blocks: &[&[u64]]) -> Observations {
    let mut arm = Observations::new();
    blocks.iter().for_each(|block| arm.push_block(block.iter().copied()));
    arm
}

#[test]
fn without_latencies_there_is_no_value() {
    assert_eq!(Observations::new().value(Statistic::Mean), None);
    assert_eq!(arm(&[&[], &[]]).value(Statistic::Quantile(0.5)), None);
}

#[test]
fn values_of_pooled_arms_are_those_of_all_latencies() {
    let (one, other) = (arm(&[&[10, 20], &[30]]), arm(&[&[40], &[50, 60, 70]]));
    let pooled = Observations::pooled(&[&one, &other]);
    assert_eq!((pooled.count(), pooled.blocks(), pooled.restarts()), (7, 2, 1));
    assert_eq!(pooled.value(Statistic::Mean), Some(40.0));
    assert_eq!(pooled.value(Statistic::Within(30)), Some(3.0 / 7.0));
    assert_eq!(Observations::pooled(&[]).count(), 0);
}

#[test]
fn a_pooled_block_counts_only_if_both_arms_have_it() {
    let pooled = Observations::pooled(&[&arm(&[&[10], &[20], &[30]]), &arm(&[&[10], &[], &[30]])]);
    assert_eq!([0, 1, 2, 3].map(|block| pooled.has_latencies(block)), [true, false, true, false]);
}

#[test]
fn few_latencies_have_a_value_though_no_interval() {
    let value = arm(&[&[1_000, 2_000, 3_000]]).value(Statistic::Quantile(0.99)).unwrap();
    assert!((2_900.0..=3_001.0).contains(&value), "{value}");
}
