use std::io::Write;

use proptest::prelude::*;

use super::*;

const PAGES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.org/a?x=1&amp;y=2 </loc><image:image><image:loc>https://example.org/a.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://example.org/b&c]]></loc><lastmod>2026-01-01</lastmod></url>
  <url><loc>https://example.org/&#233;</loc></url>
</urlset>"#;

#[test]
fn pages_are_read_with_their_entities_and_pictures_are_not_pages() {
    let expected = ["https://example.org/a?x=1&y=2", "https://example.org/b&c", "https://example.org/é"];
    assert_eq!(Sitemap::parse(PAGES.as_bytes()).unwrap().pages, expected);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(PAGES.as_bytes()).unwrap();
    assert_eq!(Sitemap::parse(&packed.finish().unwrap()).unwrap().pages, expected);
}

#[test]
fn an_index_names_further_sitemaps() {
    let index = "\u{feff}<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap></sitemapindex>";
    let expected = Sitemap { sitemaps: vec!["https://example.org/1.xml.gz".to_owned()], ..Sitemap::default() };
    assert_eq!(Sitemap::parse(index.as_bytes()).unwrap(), expected);
}

#[test]
fn a_text_of_urls_is_one_and_a_page_is_none() {
    let text = Sitemap::parse(b"https://example.org/a\r\n\xff\nhttps://example.org/b\nmilk\n").unwrap();
    assert_eq!((text.pages.len(), text.passed_over), (2, 2));
    for other in ["", "milk\neggs", "<html><body>404</body></html>", "{}"] {
        assert!(matches!(Sitemap::parse(other.as_bytes()), Err(SitemapError::Other)), "{other}");
    }
    assert!(matches!(Sitemap::parse(b"<urlset><url></loc>"), Err(SitemapError::Xml { .. })));
}

#[test]
fn what_has_no_end_is_refused() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..60).for_each(|_| packed.write_all(&vec![b' '; 1 << 20]).unwrap());
    assert!(matches!(Sitemap::parse(&packed.finish().unwrap()), Err(SitemapError::Long)));
    let many = format!("<urlset>{}</urlset>", "<url><loc>http://a/</loc></url>".repeat(MOST + 1));
    assert!(matches!(Sitemap::parse(many.as_bytes()), Err(SitemapError::Long)));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, at in 0..PAGES.len(), with: u8) {
        let _ = Sitemap::parse(&bytes);
        let mut changed = PAGES.as_bytes().to_vec();
        changed[at] = with;
        let _ = Sitemap::parse(&changed);
    }
}

#[test]
fn a_sitemap_that_was_cut_off_is_refused() {
    for end in [PAGES.find("</urlset>").unwrap(), PAGES.find("b&c").unwrap(), PAGES.rfind("<loc>").unwrap() + 20] {
        let cut = Sitemap::parse(&PAGES.as_bytes()[..end]);
        assert!(matches!(cut, Err(SitemapError::Cut | SitemapError::Xml { .. })), "{end}: {cut:?}");
    }
}

#[test]
fn the_protocols_names_may_have_a_prefix() {
    let text = PAGES
        .replace("xmlns=", "xmlns:s=")
        .replace("<urlset", "<s:urlset")
        .replace("</urlset", "</s:urlset")
        .replace("<url>", "<s:url>")
        .replace("</url>", "</s:url>")
        .replace("<loc>", "<s:loc>")
        .replace("</loc>", "</s:loc>");
    assert_eq!(Sitemap::parse(text.as_bytes()).unwrap(), Sitemap::parse(PAGES.as_bytes()).unwrap());
}
