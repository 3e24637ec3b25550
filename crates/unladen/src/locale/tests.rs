use super::*;

#[test]
fn a_locale_tells_its_characters() {
    for locale in ["C.UTF-8", "C.utf8", "en_US.UTF-8", "de_DE.utf8@euro"] {
        assert!(has_utf8(locale), "{locale}");
    }
    for locale in ["C", "POSIX", "en_US", "de_DE@euro", "en_US.ISO-8859-1", "ja_JP.eucJP"] {
        assert!(!has_utf8(locale), "{locale}");
    }
}
