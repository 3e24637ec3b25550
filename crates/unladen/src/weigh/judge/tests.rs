use unladen_lockin::{Estimate, Weight};
use unladen_probe::{Group, GroupBy};

use super::*;

/// As many groups as a busy machine has, whose CPU means nothing.
const OTHERS: usize = 200;

fn weight(p_value: f64) -> Weight {
    let per_request = Estimate { value: 26e6, low: 12e6, high: 40e6, mean: 26e6, blocks: 12 };
    Weight { per_request, noise_floor: 1e6, p_value }
}

/// The adjusted p-value of one group with this p-value among many that do not follow.
fn judged(p_value: f64, on_path: bool) -> f64 {
    let instrument = Instrument::open(GroupBy::Pid).unwrap();
    let counter = instrument.counter_named("cpu").unwrap();
    let (group_id, group): (GroupId, &Group) =
        instrument.groups().find(|(_, group)| group.kind == GroupKind::Processes).unwrap();
    let row = |p_value, on_path| Row {
        group,
        group_id,
        counter,
        weight: weight(p_value),
        blocks: Vec::new(),
        on_path,
        adjusted_p: 1.0,
    };
    // A family is a group of a page: of as many pages here as there would be groups.
    let mut by_url: Vec<Vec<Row<'_>>> =
        (0..OTHERS).map(|other| vec![row(0.02 + other as f64 / 210.0, false)]).collect();
    by_url.push(vec![row(p_value, on_path)]);
    assert_eq!(judge(&mut by_url, &instrument), OTHERS + 1);
    by_url[OTHERS][0].adjusted_p
}

#[test]
fn a_group_on_the_path_is_no_guess_among_all_groups_of_the_machine() {
    assert!(judged(0.01, true) <= 0.01);
    assert!(judged(0.01, false) > 0.05, "as one of two hundred it may be chance");
    assert!(judged(0.4, true) > 0.05, "on the path or not, noise is noise");
}
