//! Functions of programs and libraries that followed processes run. The principal type is [`Functions`]; [`FAMILIES`] is the
//! list of what is looked for.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::PathBuf;

use libbpf_rs::Link;
use unladen_trace::{Missing, Source};

use super::kernel::Kernel;
use super::mapped::{Mapped, mapped};

/// A program or library, and what is seen of it.
struct Family {
    source: Source,
    /// By the file's name.
    is: fn(&str) -> bool,
    functions: &'static [Function],
    /// What helps if a file of that name has none of the functions.
    takes: &'static str,
}

/// A function, and the programs of bpf/functions.bpf.c for its entry and its return.
struct Function {
    symbol: &'static str,
    entry: &'static str,
    at_return: Option<&'static str>,
    /// Without it, the family is not seen.
    needed: bool,
}

const fn function(
    symbol: &'static str,
    entry: &'static str,
    at_return: Option<&'static str>,
    needed: bool,
) -> Function {
    Function { symbol, entry, at_return, needed }
}

const FAMILIES: &[Family] = &[
    Family {
        source: Source::Php,
        is: |name| name.starts_with("php") || name.starts_with("libphp"),
        functions: &[
            function("compile_file", "php_compile", Some("php_compiled"), true),
            function("zend_lookup_class_ex", "php_class_lookup", None, false),
        ],
        takes: "a PHP that exports its functions, as Debian's does",
    },
    Family {
        source: Source::Perl,
        is: |name| name.starts_with("perl") || name.starts_with("libperl.so"),
        functions: &[function("Perl_yyparse", "perl_parse", Some("perl_parsed"), true)],
        takes: "a Perl that exports its functions, as Debian's does",
    },
    Family {
        source: Source::Sqlite,
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

/// What is attached to functions.
#[derive(Debug, Default)]
pub(super) struct Functions {
    links: Vec<Link>,
    /// Files that were looked at, and whether they are attached to.
    files: HashMap<(Source, (String, u64)), bool>,
    sources: BTreeSet<Source>,
}

impl Functions {
    /// Attaches to what this process runs, as far as it is new.
    pub(super) fn look(&mut self, kernel: &mut Kernel, pid: u32) {
        if !kernel.has_functions() {
            return;
        }
        let files = mapped(pid);
        for family in FAMILIES {
            let of_family: Vec<&Mapped> = files.iter().filter(|file| (family.is)(file.name())).collect();
            let mut failed = None;
            for file in &of_family {
                let key = (family.source, file.file.clone());
                if self.files.contains_key(&key) {
                    continue;
                }
                let attached = self.attach(kernel, family, file, pid);
                self.files.insert(key, attached.is_ok());
                failed = attached.err().or(failed);
            }
            // A program that is linked with its library has the functions there.
            let seen = of_family.iter().any(|file| self.files.get(&(family.source, file.file.clone())) == Some(&true));
            match failed {
                Some(why) if !seen => {
                    kernel.missing.push(Missing { source: family.source, why, takes: family.takes.into() });
                }
                _ if seen => _ = self.sources.insert(family.source),
                _ => {}
            }
        }
    }

    /// What is seen by now.
    pub(super) fn sources(&self) -> impl Iterator<Item = Source> {
        self.sources.iter().copied()
    }

    fn attach(&mut self, kernel: &Kernel, family: &Family, file: &Mapped, pid: u32) -> Result<(), String> {
        let path = opened(file, pid)?;
        let mut links = Vec::new();
        for function in family.functions {
            let mut attach = |program: &str, at_return: bool| {
                kernel.attach_function(program, &path, function.symbol, at_return).map(|link| links.push(link))
            };
            // The return goes first: an entry without it would leave entries behind.
            let attached = function
                .at_return
                .map_or(Ok(()), |program| attach(program, true))
                .and_then(|()| attach(function.entry, false));
            if let Err(why) = attached
                && function.needed
            {
                return Err(format!("{}: cannot attach to its function {}: {why}", file.path, function.symbol));
            }
        }
        self.links.append(&mut links);
        Ok(())
    }
}

/// A path that opens it.
fn opened(file: &Mapped, pid: u32) -> Result<PathBuf, String> {
    let mut last = String::new();
    for path in file.openable(pid) {
        match File::open(&path) {
            Ok(_) => return Ok(path),
            Err(error) => last = error.to_string(),
        }
    }
    Err(format!("{}: {last}", file.path))
}
