use super::*;

#[test]
fn a_target_that_is_no_text_means_all_that_begins_so() {
    let of = |target: &[u8]| {
        let request = Request { authority: b"a.example".to_vec(), target: target.to_vec(), ..Request::default() };
        what(&request, None, false)
    };
    let page = |target: &str| Page { is_https: None, authority: "a.example".into(), target: target.into() };
    assert_eq!(of(b"/a?\xc3\xa9"), What::Url(page("/a?\u{e9}")));
    assert_eq!(of(b"/a\xe9b"), What::Prefix(page("/a")));
}
