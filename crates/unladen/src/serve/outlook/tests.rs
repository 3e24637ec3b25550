//! Tests of [`text`].

use unladen_serve::{AnswerSeen, CookieSeen, ValidatorSeen};

use super::*;

#[test]
fn what_becomes_of_a_page_is_told_line_by_line() {
    let page = Outlook {
        url: "http://site.example:8080/news/?a=1".to_owned(),
        listener: "0.0.0.0:8080".to_owned(),
        site: Some("site".to_owned()),
        rule: Rule::Validator,
        key: Some("http://site.example:8080/news/?a=1".to_owned()),
        cookies: vec![
            CookieSeen { name: "_ga".to_owned(), counts: false },
            CookieSeen { name: "session".to_owned(), counts: true },
        ],
        validators: vec![
            ValidatorSeen {
                number: 2,
                path: "/{page*}".to_owned(),
                parameters: [("page".to_owned(), "news/".to_owned())].into(),
                asks: "select version\n  from counters".to_owned(),
            },
            ValidatorSeen {
                number: 3,
                path: "/news/".to_owned(),
                parameters: std::collections::BTreeMap::new(),
                asks: "HEAD".to_owned(),
            },
        ],
        ..Outlook::default()
    };
    assert_eq!(
        text(&page),
        "http://site.example:8080/news/?a=1
  listener   0.0.0.0:8080 of [[site]] `site`
  key        http://site.example:8080/news/?a=1
  cookie     _ga does not matter
  cookie     session distinguishes users
  validator  2. path = \"/{page*}\": page = \"news/\"
             select version from counters
  validator  3. path = \"/news/\", not asked: an earlier one matches
  rule       a validator says whether it is current
  kept       yes, if it is a plain 200 (--connect asks the application)
"
    );
    let answer = AnswerSeen {
        status: 200,
        fields: vec![("vary".to_owned(), "Cookie".to_owned()), ("set-cookie".to_owned(), "a=…".to_owned())],
        bytes: 4096,
    };
    let kept = Outlook {
        label: Some("17".to_owned()),
        answer: Some(answer.clone()),
        kept: Some(true),
        kept_for: Some(KeptFor {
            with_cookies: true,
            varies_by: vec!["cookie".to_owned()],
            validated: true,
            fresh_seconds: 0,
        }),
        ..page.clone()
    };
    let after = |text: &str| text.split_once("not asked: an earlier one matches\n").unwrap().1.to_owned();
    assert_eq!(
        after(&text(&kept)),
        "  label      17
  answer     200, 4096 bytes
             vary: Cookie
             set-cookie: a=…
  rule       a validator says whether it is current
  kept       yes, for everybody with the same cookie; until the validator's label changes
"
    );
    let not = Outlook {
        answer: Some(answer),
        kept: Some(false),
        why_not: vec![WhyNot { reason: "set-cookie", message: "the answer sets a cookie" }],
        notes: vec!["its body is incomplete".to_owned()],
        ..page
    };
    assert_eq!(
        after(&text(&not)).split_once("rule").unwrap().1,
        "       a validator says whether it is current
  kept       no
             set-cookie: the answer sets a cookie
  note       its body is incomplete
"
    );
}
