//! Tests of [`BACK_ENDS`].

use super::*;

#[test]
fn the_page_has_each_back_end() {
    let page = include_str!("../../../../docs/reference/store.md");
    for back_end in BACK_ENDS {
        let row = format!("| `{}` | {} | {} |", back_end.written, back_end.name, back_end.about);
        assert!(page.contains(&row) && page.contains(&format!("## {}\n", back_end.name)), "{row}");
    }
}
