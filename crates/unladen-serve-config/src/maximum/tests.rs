//! Tests of [`is_maximum`].

use proptest::prelude::*;

use super::*;

#[test]
fn a_maximum_alone_is_known_in_whatever_form() {
    for query in [
        "select max(changed) from pages",
        "SELECT MAX(post_modified_gmt) FROM wp_posts WHERE post_status = 'publish'",
        "select max(id) from comments where page = $1;",
        "select max(changed) from accounts where country = $1",
        "select coalesce(max(changed), 0) from pages",
        "select extract(epoch from max(changed)) from pages where ref = $1",
        "select extract(epoch from max(p.changed))::bigint as changed from pages p",
        "select unix_timestamp(max(`changed`)) from pages -- count(*) is slow",
        "select to_char(max(changed), 'YYYY-MM-DD') from pages",
        "select greatest(max(a.changed), max(b.changed)) from a, b",
        "select /* the latest */ max( \"changed\" ) from pages",
        // The first column alone is the answer.
        "select max(changed), count(*) from pages",
        "select concat(max(changed), '-', max(id)) from pages",
    ] {
        assert!(is_maximum(query), "{query}");
    }
}

#[test]
fn what_sees_more_or_counts_is_no_maximum_alone() {
    for query in [
        "select count(*), max(id) from pages",
        "select concat(count(*), '-', max(changed)) from pages",
        "select count(*) || '-' || max(changed) from pages",
        "select md5(string_agg(body, '')) from pages",
        "select max(version) from page_version",
        "select max(n) from changes",
        "select max(p.page_count) from p",
        "select max(value) from counters",
        "select max(change_seq) from pages",
        "select sum(n) from page_version",
        "select max(1, n) from t",
        "select max(a, b) from t",
        "select changed from pages where id = (select max(id) from pages)",
        "select (select max(changed) from a) || (select count(*) from a) from b",
        "select max(changed) over () from pages",
        "select max(changed) from pages group by topic",
        "with latest as (select max(changed) as at from pages) select at from latest",
        "select maximum(changed) from pages",
        "select 'max(changed)' from pages",
        "select max from pages",
        "select max(",
        "max(changed)",
        "",
    ] {
        assert!(!is_maximum(query), "{query}");
    }
}

proptest! {
    #[test]
    fn any_query_is_looked_at(query in "([a-z(),'\"`*/ -]|max\\(|select |from |--|/\\*|ü){0,40}") {
        let _ = is_maximum(&query);
    }
}
