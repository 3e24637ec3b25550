use super::*;

#[test]
fn values_apart_from_the_text() {
    for text in ["select ?", "select a where b = :b", "where x=@x", "where x = $1", "a = '?' and b = ?2"] {
        assert!(has_placeholder(text), "{text}");
    }
    for text in ["select '?'", "select a::text", "select \":b\"", "it's", "a = '@x' and b = 3"] {
        assert!(!has_placeholder(text), "{text}");
    }
}
