use super::slug;

#[test]
fn names_of_files_by_urls() {
    for (url, name) in [
        ("http://127.0.0.1:8080/index.php/Main_Page", "Main_Page"),
        ("http://127.0.0.1:8080/", "127.0.0.1-8080"),
        ("https://a.example/wws/lists/?x=/../y#z", "lists"),
        ("http://a.example/%2e%2e/..", "profile"),
    ] {
        assert_eq!(slug(url), name, "{url}");
    }
}
