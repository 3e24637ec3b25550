use super::*;

#[test]
fn the_last_line_for_all_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("zzz one.ini"), folder.path().join("zzz two.ini"));
    std::fs::write(&one, "[opcache]\nopcache.enable=1\nopcache.enable=0\n[HOST=a]\nsession.name=x\n").unwrap();
    std::fs::write(&two, "; session.name=y\nmemory_limit = 1M\n[path=/a]\nopcache.enable=1\n").unwrap();
    let files = [&*one, Path::new("/nonexistent"), &*two];
    let told = |line: &IniLine| format!("{} {}", line.name, line.line);
    let found = ini_lines(files.into_iter(), |name| name != "no");
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), ["opcache.enable 3", "memory_limit 2"]);
    assert_eq!(found[0].text, "opcache.enable=0");
}
