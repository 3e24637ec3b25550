//! A list of URLs: whatever it holds, each line that is taken makes a request, and errors name their line.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_load::UrlLine;

fuzz_target!(|text: &str| {
    match UrlLine::parse_list(text, Path::new("list")) {
        Ok(lines) => {
            assert!(!lines.is_empty(), "a list of nothing is an error");
            for line in &lines {
                assert!(matches!(line.url.scheme(), "http" | "https"));
                assert!(line.label.as_ref().is_none_or(|label| !label.is_empty() && !label.contains('\n')));
                let builder = line.request().expect("what the list takes begins a request");
                if let Ok(request) = builder.build() {
                    assert_eq!(request.method(), line.method);
                }
            }
        }
        Err(error) => assert!(error.to_string().contains("list"), "{error}"),
    }
});
