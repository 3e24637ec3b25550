use super::*;

fn params(pairs: &[(&str, &str)]) -> Params {
    Params(pairs.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect())
}

fn find(pairs: &[(&str, &str)], fixes_path_info: bool) -> Result<Script, ProfilerError> {
    Script::find_by(&params(pairs), fixes_path_info, |path| ["/app/index.php", "/app/a b.php"].contains(&path))
}

fn replaced(pairs: &[(&str, &str)], name: &str) -> String {
    let mut params = params(pairs);
    find(pairs, true).unwrap().replace(&mut params, Path::new("/run/w.php"));
    params.text(name).unwrap().to_owned()
}

#[test]
fn only_the_files_path_is_replaced() {
    let plain = [("SCRIPT_FILENAME", "/app/index.php"), ("PATH_TRANSLATED", "/app/Main_Page")];
    assert_eq!(replaced(&plain, "SCRIPT_FILENAME"), "/run/w.php");
    assert_eq!(replaced(&plain, "PATH_TRANSLATED"), "/app/Main_Page");
    let rest = [("SCRIPT_FILENAME", "/app/index.php/Main_Page/x")];
    assert_eq!(find(&rest, true).unwrap().path, "/app/index.php");
    assert_eq!(replaced(&rest, "SCRIPT_FILENAME"), "/run/w.php/Main_Page/x");
    let apache = [("SCRIPT_FILENAME", "proxy:fcgi://localhost/app/a%20b.php/x%25?q=1")];
    assert_eq!(find(&apache, true).unwrap().path, "/app/a b.php");
    assert_eq!(replaced(&apache, "SCRIPT_FILENAME"), "proxy:fcgi://localhost/run/w.php/x%25");
}

#[test]
fn the_parameter_that_php_looks_at_is_taken() {
    let both =
        [("SCRIPT_FILENAME", "/usr/bin/php"), ("PATH_TRANSLATED", "/app/index.php"), ("REDIRECT_URL", "/index.php")];
    assert_eq!(replaced(&both, "PATH_TRANSLATED"), "/run/w.php");
    let without = [("SCRIPT_FILENAME", "/app/a b.php"), ("PATH_TRANSLATED", "/app/index.php")];
    assert_eq!(find(&without, true).unwrap().path, "/app/a b.php");
    assert_eq!(find(&without, false).unwrap().path, "/app/index.php");
}

#[test]
fn a_script_that_is_not_there_is_told() {
    let error = find(&[("SCRIPT_FILENAME", "/gone/index.php/x")], true).unwrap_err().to_string();
    assert!(error.contains("/gone/index.php/x, which the web server names to PHP-FPM, does not exist"), "{error}");
    let error = find(&[("SCRIPT_FILENAME", "/app/index.php/x")], false).unwrap_err().to_string();
    assert!(error.contains("does not exist"), "{error}");
    assert!(find(&[], true).unwrap_err().to_string().contains("names no script"));
}
