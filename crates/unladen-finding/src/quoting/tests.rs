use proptest::prelude::*;

use super::*;

/// What a shell makes of words.
fn by_shell(words: &str, variables: &[(&str, &str)]) -> std::process::Output {
    let mut shell = std::process::Command::new("/bin/sh");
    shell.arg("-c").arg(format!("printf '%s\\0' {words}")).envs(variables.iter().copied());
    shell.output().unwrap()
}

#[test]
fn toml_takes_no_control_characters() {
    assert_eq!(toml_text("a \\ \"b\"\n\u{1}\u{85}é"), r#""a \\ \"b\"\n\u0001\u0085é""#);
}

#[test]
fn a_unit_takes_a_word_as_it_is() {
    assert_eq!(unit_word("http://a/%20"), "http://a/%%20");
    assert_eq!(unit_word(r"it's 5 $ \ 3 %"), r"'it\'s 5 $$ \\ 3 %%'");
}

#[test]
fn php_takes_a_path_as_it_is() {
    assert_eq!(php_text(r"/srv/it's $x\"), r"'/srv/it\'s $x\\'");
    assert_eq!(ini_text("/srv/a-b.php").as_deref(), Some("/srv/a-b.php"));
    assert_eq!(ini_text("/srv/a;b ${HOME}").as_deref(), Some("'/srv/a;b ${HOME}'"));
    assert_eq!(ini_text("/srv/a\nextension=/home/b/x.so"), None);
    assert_eq!(ini_text("/srv/it's"), None);
}

#[test]
fn a_secret_is_a_variable_that_has_to_be_set() {
    assert_eq!(secret("x-api-key"), "\"${X_API_KEY:?}\"");
    assert_eq!(secret("`1$(reboot)"), "\"${HEADER__1__REBOOT_:?}\"");
    let said = by_shell(&secret("authorization"), &[("AUTHORIZATION", "Bearer $(id) `id` '\"")]);
    assert_eq!(said.stdout, b"Bearer $(id) `id` '\"\0");
    assert!(!by_shell(&secret("authorization-not-set"), &[]).status.success());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_shell_takes_every_word_as_it_is(text in "[^\\x00]{0,24}", other in "[ '\"$`\\\\;&|<>!*?~#\n-]{0,12}") {
        let said = by_shell(&format!("{} {}", word(&text), word(&other)), &[]);
        prop_assert_eq!(said.stdout, format!("{text}\0{other}\0").into_bytes());
    }
}
