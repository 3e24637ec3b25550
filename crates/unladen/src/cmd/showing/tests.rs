use super::*;
use clap::Parser;
use unladen_publish::PUBLICATIONS;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    published: Published,
}

#[test]
fn every_format_for_others_has_an_option() {
    for publication in PUBLICATIONS {
        let line = Line::parse_from(["x", &format!("--{}", publication.name()), "file"]);
        assert_eq!(line.published.destinations().count(), 1, "{}", publication.name());
    }
}
