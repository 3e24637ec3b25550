use crate::Name;

const NAMES: [(&str, Name, bool); 19] = [
    ("Host", Name::Host, false),
    ("Connection", Name::Connection, true),
    ("Content-Length", Name::ContentLength, false),
    ("Transfer-Encoding", Name::TransferEncoding, true),
    ("Keep-Alive", Name::KeepAlive, true),
    ("Proxy-Connection", Name::ProxyConnection, true),
    ("TE", Name::Te, true),
    ("Trailer", Name::Trailer, true),
    ("Upgrade", Name::Upgrade, true),
    ("Expect", Name::Expect, false),
    ("Via", Name::Via, false),
    ("Forwarded", Name::Forwarded, false),
    ("X-Forwarded-For", Name::XForwardedFor, false),
    ("X-Forwarded-Host", Name::XForwardedHost, false),
    ("X-Forwarded-Proto", Name::XForwardedProto, false),
    ("X-Request-Id", Name::XRequestId, false),
    ("Traceparent", Name::Traceparent, false),
    ("Date", Name::Date, false),
    ("HTTP2-Settings", Name::Http2Settings, true),
];

#[test]
fn names_are_known_in_any_case_and_in_no_other_way() {
    for (name, id, is_hop_by_hop) in NAMES {
        assert_eq!(Name::of(name.as_bytes()), id);
        assert_eq!(Name::of(name.to_ascii_uppercase().as_bytes()), id);
        assert_eq!(Name::of(name.to_ascii_lowercase().as_bytes()), id);
        assert_eq!(id.is_hop_by_hop(), is_hop_by_hop, "{name}");
        for other in [format!("{name}s"), format!("x{name}"), name[1..].to_owned(), format!("\0{}", &name[1..])] {
            assert_eq!(Name::of(other.as_bytes()), Name::Other, "{other}");
        }
    }
    assert_eq!(Name::of(b""), Name::Other);
    assert!(!Name::Other.is_hop_by_hop());
}

#[test]
fn a_lookalike_differs_in_its_underscores_alone() {
    for (name, _, _) in NAMES.iter().filter(|(name, _, _)| name.contains('-')) {
        assert!(Name::is_lookalike(name.replace('-', "_").as_bytes()), "{name}");
        assert!(Name::is_lookalike(name.replacen('-', "_", 1).as_bytes()), "{name}");
        assert!(!Name::is_lookalike(name.as_bytes()), "{name}");
    }
    for name in ["session_id", "x_request_ident", "_", "transfer_encoding_", "content__length"] {
        assert!(!Name::is_lookalike(name.as_bytes()), "{name}");
    }
}
