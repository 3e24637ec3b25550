//! The principal type is [`Authorities`]: whose signatures make a certificate good.

use unladen_tls::system_certificates;

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::as_root;

pub(crate) struct Authorities;

impl Check for Authorities {
    fn name(&self) -> &'static str {
        "tls"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::ALL
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        vec![match system_certificates() {
            Ok(certificates) => {
                Row::ok(Verb::ALL, format!("{} certificate authorities are trusted", certificates.len()))
            }
            Err(error) => Row::missing(Verb::ALL, error.to_string())
                .so("no https:// address can be trusted without --cacert")
                .fix(as_root("apt-get install ca-certificates")),
        }]
    }
}
