use super::*;

/// Tokens of answers stood in what is kept.
#[test]
fn tokens_in_headers_of_answers_were_kept() {
    for (name, value, without) in [
        ("location", "https://shop.example/in?token=4d1f&page=3", "https://shop.example/in?token=…&page=3"),
        ("x-csrf-token", "4d1f", "…"),
        ("set-cookie", "sid=…; path=/; HttpOnly", "sid=…; path=/; HttpOnly"),
        ("vary", "Cookie, Authorization", "Cookie, Authorization"),
        ("cache-control", "private, no-cache=\"set-cookie\"", "private, no-cache=\"set-cookie\""),
        ("etag", "W/\"4d1f\"", "W/\"4d1f\""),
    ] {
        assert_eq!(told(vec![(name.into(), value.into())]), [(name.to_owned(), without.to_owned())]);
    }
}
