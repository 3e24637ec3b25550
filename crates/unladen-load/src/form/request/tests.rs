use super::*;

/// A load from another host is sent as it would be from here.
#[test]
fn a_target_that_no_url_holds_stays_as_it_is() {
    let page = Request::get("http://localhost/").unwrap().target("//x/../y/%2e%2e/z?a=../b").unwrap().build().unwrap();
    let again = RequestForm::of(&page).request().unwrap();
    assert_eq!((again.target(), again.http1().uri()), ("//x/../y/%2e%2e/z?a=../b", page.http1().uri()));
    assert_eq!(again.http2().uri(), "http://localhost//x/../y/%2e%2e/z?a=../b");
}

#[test]
fn more_headers_than_a_map_holds_are_refused() {
    let page = Request::get("http://localhost/").unwrap().build().unwrap();
    let headers = (0..40_000).map(|number| (format!("x-{number}"), Vec::new())).collect();
    let form = RequestForm { headers, ..RequestForm::of(&page) };
    assert!(matches!(form.request(), Err(LoadError::Config { expected: "fewer headers", .. })));
}
