//! Parameters of FastCGI: what was decoded is encoded and decoded again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_fastcgi::Params;

fuzz_target!(|bytes: &[u8]| {
    if let Some(params) = Params::decode(bytes) {
        assert_eq!(Params::decode(&params.encode()), Some(params));
    }
    let _ = unladen_fastcgi::read_values(bytes);
    let _ = unladen_fastcgi::fpm::Status::parse(bytes);
});
