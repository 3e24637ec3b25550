use super::*;

#[test]
fn asks_for_two_languages_that_the_user_did_not_name() {
    let of = |own: &str| {
        let request = Request::get("http://localhost/").unwrap();
        languages(&request.header(format!("Accept-Language: {own}").parse().unwrap()).build().unwrap())
    };
    assert_eq!(of("cy"), ["de", "en"]);
    assert_eq!(of("DE-AT, cy;q=0.5"), ["en", "fr"]);
    assert_eq!(of("de, en;q=0.8"), ["fr", "es"]);
    assert!(of("de,en,fr,es").is_empty());
}
