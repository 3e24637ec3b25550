//! Programs and libraries whose functions are traced. The principal type is [`Family`]; [`FAMILIES`] is the list.

use unladen_trace::EvidenceSource;

pub(super) struct Family {
    pub(super) source: EvidenceSource,
    pub(super) is: fn(&str) -> bool,
    pub(super) functions: &'static [Function],
    /// What to install if such a file has none of the functions.
    pub(super) takes: &'static str,
}

/// A function, and the programs of bpf/functions.bpf.c for its entry and its return.
pub(super) struct Function {
    pub(super) symbol: &'static str,
    pub(super) entry: &'static str,
    pub(super) at_return: Option<&'static str>,
    /// Without it, the family is not traced.
    pub(super) needed: bool,
}

const fn function(
    symbol: &'static str,
    entry: &'static str,
    at_return: Option<&'static str>,
    needed: bool,
) -> Function {
    Function { symbol, entry, at_return, needed }
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        source: EvidenceSource::Php,
        is: |name| name.starts_with("php") || name.starts_with("libphp"),
        functions: &[
            function("compile_file", "php_compile", Some("php_compiled"), true),
            function("zend_lookup_class_ex", "php_class_lookup", None, false),
        ],
        takes: "a PHP that exports its functions, as Debian's does",
    },
    Family {
        source: EvidenceSource::Perl,
        is: |name| name.starts_with("perl") || name.starts_with("libperl.so"),
        functions: &[function("Perl_yyparse", "perl_parse", Some("perl_parsed"), true)],
        takes: "a Perl that exports its functions, as Debian's does",
    },
    Family {
        source: EvidenceSource::Sqlite,
        // Perl's DBD::SQLite, SQLite.so, may bring its own.
        is: |name| name.starts_with("libsqlite3") || name == "SQLite.so",
        functions: &[
            function("sqlite3_prepare_v2", "sqlite_prepare", Some("sqlite_prepared"), true),
            function("sqlite3_prepare_v3", "sqlite_prepare_v3", Some("sqlite_prepared"), false),
            function("sqlite3_prepare", "sqlite_prepare", Some("sqlite_prepared"), false),
            function("sqlite3_step", "sqlite_step", Some("sqlite_stepped"), true),
            function("sqlite3_reset", "sqlite_reset", None, false),
            function("sqlite3_finalize", "sqlite_reset", None, false),
        ],
        takes: "an SQLite that exports its functions, as Debian's does",
    },
];
