use std::time::{Duration, Instant};

use unladen_lockin::{Estimate, Weight};
use unladen_probe::Unit;

use super::*;
use crate::weigh::catalog::Catalog;
use crate::weigh::edge::{EdgeReading, EdgeSource, Series, SourceKind};

/// It has a name, and nothing to tell.
struct Silent;

impl EdgeSource for Silent {
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

    fn answer(&mut self, _: Instant) -> Result<EdgeReading, String> {
        Ok(EdgeReading::default())
    }

    fn series(&self) -> &[Series] {
        &[]
    }
}

fn series() -> Series {
    Series {
        group: "postgres".into(),
        counter: "cpu".into(),
        title: "CPU".into(),
        unit: Unit::Nanoseconds,
        approximate: false,
        family: None,
        deciding: true,
        kind: SeriesKind::Processes,
    }
}

/// As many groups as a busy machine has, whose CPU means nothing.
const OTHERS: usize = 200;

fn weight(p_value: f64) -> Weight {
    let per_request = Estimate { value: 26e6, low: 12e6, high: 40e6, mean: 26e6, blocks: 12 };
    Weight { per_request, noise_floor: 1e6, p_value }
}

/// The adjusted p-value of one group with this p-value among many that do not follow.
fn judged(p_value: f64, on_path: bool) -> f64 {
    let mut catalog = Catalog::default();
    catalog.add(&Silent);
    catalog.see(SourceId::HERE, &[series()]);
    let key = catalog.series(SourceId::HERE, 0).unwrap();
    let row = |p_value, on_path| Row {
        group: catalog.group(key.group()).unwrap(),
        counter: catalog.counter(key).unwrap(),
        key,
        family: None,
        is_deciding: true,
        weight: weight(p_value),
        on_path,
        adjusted_p: 1.0,
    };
    // A family is a group of a page: of as many pages here as there would be groups.
    let mut by_url: Vec<Vec<Row<'_>>> =
        (0..OTHERS).map(|other| vec![row(0.02 + other as f64 / 210.0, false)]).collect();
    by_url.push(vec![row(p_value, on_path)]);
    assert_eq!(judge(&mut by_url), OTHERS + 1);
    by_url[OTHERS][0].adjusted_p
}

#[test]
fn a_group_on_the_path_is_no_guess_among_all_groups_of_the_machine() {
    assert!(judged(0.01, true) <= 0.01);
    assert!(judged(0.01, false) > 0.05, "as one of two hundred it may be chance");
    assert!(judged(0.4, true) > 0.05, "on the path or not, noise is noise");
}

/// Of twelve blocks three were left out, and a counter that grew by four a request in each of the others was in no table,
/// without a word.
#[test]
fn a_series_that_so_few_blocks_cannot_tell_was_left_out_without_a_word() {
    let mut catalog = Catalog::default();
    catalog.add(&Silent);
    let select = Series { group: "commands{command=\"select\"}".into(), counter: "count".into(), ..series() };
    catalog.see(SourceId::HERE, &[Series { family: Some("commands".into()), kind: SeriesKind::Series, ..select }]);
    let key = catalog.series(SourceId::HERE, 0).unwrap();
    let row = |blocks, adjusted_p| {
        let mut weight = weight(2.0 / 512.0);
        weight.per_request.blocks = blocks;
        Row {
            group: catalog.group(key.group()).unwrap(),
            counter: catalog.counter(key).unwrap(),
            key,
            family: None,
            is_deciding: false,
            weight,
            on_path: false,
            adjusted_p,
        }
    };
    let said = |row| untold_series(&[vec![row]]).map(|warning| warning.to_string());
    let warning = said(row(9, 0.0586)).unwrap();
    assert!(
        warning.starts_with("db: db/commands{command=\"select\"} grew in each of 9 blocks, but these are too few"),
        "{warning}"
    );
    assert_eq!(said(row(9, 0.04)), None, "it is in the table");
    assert_eq!(said(row(10, 0.06)), None, "it did not grow in each block: that may be chance");
}
