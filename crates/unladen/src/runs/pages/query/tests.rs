use super::*;
use proptest::prelude::*;

#[test]
fn a_form_becomes_a_filter() {
    let query = Query::parse("verb=weigh&target=a%20b&label=release%3D1.43&since=1970-01-02&host=").unwrap();
    let filter = query.filter().unwrap();
    assert_eq!((filter.verb.as_deref(), filter.target.as_deref(), filter.host), (Some("weigh"), Some("a b"), None));
    assert_eq!((filter.labels["release"].as_str(), filter.since_ns), ("1.43", Some(86_400_000_000_000)));
    assert!(Query::parse("label=x").unwrap().filter().is_err());
    assert!(Query::parse("since=soon").unwrap().filter().is_err());
    assert!(Query::parse("until=soon").unwrap().filter().is_err());
    let until = Query::parse("until=1970-01-02").unwrap();
    assert_eq!(until.filter().unwrap().until_ns, Some(86_400_000_000_000));
    assert_eq!(until.first_page(), "until=1970-01-02");
    assert!(Query::parse("page=x").is_err());
}

proptest! {
    #[test]
    fn the_next_page_asks_the_same(target in "[ -~äöü]{1,20}", verb in "weigh|load|", id in 1_u64..1000, time_ns in 0_i64..i64::MAX) {
        let asked = format!("verb={verb}&target={}", in_query(target.trim()));
        let query = Query::parse(&asked).unwrap();
        let position = Position { time_ns, id: unladen_store::RunId::new(id).unwrap() };
        let next = Query::parse(&query.page_before(position)).unwrap();
        prop_assert_eq!(&next.form, &query.form);
        prop_assert_eq!(next.before, Some(position));
        prop_assert_eq!(next.first_page(), query.first_page());
    }

    #[test]
    fn any_query_is_read_or_refused(text in ".{0,200}") {
        if let Ok(query) = Query::parse(&text) {
            let _ = query.filter();
        }
    }
}
