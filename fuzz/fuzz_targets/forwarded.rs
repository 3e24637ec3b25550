//! `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` of requests, a line each: nobody is believed but a trusted
//! proxy, and what stands to the left of the first address that is not trusted changes nothing.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use unladen_http1::Fields;
use unladen_serve::fuzzing::asker;
use unladen_serve_config::{ForwardedBy, TrustedSettings};

const NAMES: [&[u8]; 3] = [b"X-Forwarded-For", b"X-Forwarded-Proto", b"Forwarded"];

fuzz_target!(|bytes: &[u8]| {
    let read = |from: &[u8]| {
        let mut fields = Fields::default();
        for line in from.split(|byte| *byte == b'\n').take(64) {
            if let [name, value @ ..] = line {
                fields.push(NAMES[usize::from(*name) % NAMES.len()], value);
            }
        }
        fields
    };
    let fields = read(bytes);
    let (proxy, other): (IpAddr, IpAddr) = ([10, 0, 0, 1].into(), [192, 0, 2, 1].into());
    for header in [ForwardedBy::XForwardedFor, ForwardedBy::Forwarded] {
        let proxies = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a network")).to_vec();
        let trusted = TrustedSettings { proxies, unix: true, header, proxy_protocol: false };
        assert_eq!(asker(&trusted, &fields, Some(other)), (Some(other), None), "nobody else is believed");
        let (address, is_https) = asker(&trusted, &fields, Some(proxy));
        let address = address.expect("a proxy has an address");
        assert_eq!(address, address.to_canonical());
        if header == ForwardedBy::XForwardedFor && is_https.is_none() {
            // What a client writes before what its proxy wrote.
            let mut forged = Fields::default();
            forged.push(NAMES[0], b"203.0.113.7, \"");
            for field in fields.iter() {
                forged.push(field.name, field.value);
            }
            let is_known = address != proxy && !is_ours(address) && fields.iter().count() < 8;
            assert!(!is_known || asker(&trusted, &forged, Some(proxy)).0 == Some(address));
        }
        let _ = asker(&trusted, &fields, None);
    }
});

fn is_ours(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[0] == 10,
        IpAddr::V6(address) => address.octets()[0] == 0xfd,
    }
}
