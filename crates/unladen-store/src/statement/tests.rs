//! Tests of [`Statement`].

use super::*;
use crate::run::Position;

const SQLITE: Dialect = Dialect { place_in: "instr", labels: "json_group_object(key, value)" };

/// SQLite counts names as they come, so their order has to be that of their numbers.
#[test]
fn each_value_has_one_place_in_order() {
    let filter = Filter {
        verb: Some("weigh".to_owned()),
        target: Some("' OR 1 = 1 --".to_owned()),
        exact_target: Some("page".to_owned()),
        labels: [("a", "1"), ("b", "2")].map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        commit: Some("ab".to_owned()),
        host: Some("bench".to_owned()),
        since_ns: Some(1),
        until_ns: Some(2),
        times_ns: vec![3, 4],
        before: Some(Position { time_ns: 3, id: RunId::new(4).unwrap() }),
        limit: 5,
    };
    let Statement { sql, values } = Statement::list(&filter, &Among::All, &SQLITE).unwrap();
    insta::assert_snapshot!(sql.replace(" AND ", "\nAND ").replace(" FROM runs ", "\nFROM runs "));
    let places: Vec<usize> = sql
        .split('$')
        .skip(1)
        .map(|rest| rest.split(|next: char| !next.is_ascii_digit()).next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(places, (1..=values.len()).collect::<Vec<_>>());
    assert!(!sql.contains("OR 1 = 1"));
}
