//! All texts of evidence: [`Evidence::each_text`]; and without private values: [`Evidence::leave_out_values`].

use crate::evidence::{
    CallerSeen, Carried, CompileSeen, ConnectionSeen, ContainerSeen, CounterSeen, DnsSeen, Evidence, FileSeen,
    FunctionSeen, GroupSeen, LockSeen, LogSeen, Missing, Page, PathSeen, PathUnknown, PhpSetAgain, PhpSettings,
    ProcessSeen, ProfileSeen, QuerySeen, Response, ServerSeen, SyscallSeen, TransferSeen,
};
use crate::secrets::without_secrets;
use crate::sql::without_values;

impl Evidence {
    /// Passes every text to `see`, which may change it: evidence of another machine contains whatever that one wrote.
    /// Structures are destructured without a rest, so that no new field is forgotten.
    pub fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        let Self {
            host,
            page,
            state: _,
            groups,
            path,
            left_out,
            cut_short,
            phases: _,
            sources: _,
            missing,
            lost: _,
            overhead_ns: _,
            syscalls,
            files,
            transfers,
            processes,
            compiles,
            counters,
            connections,
            dns,
            queries,
            locks,
            logs,
            sleeps: _,
            response,
            php,
            profile,
        } = self;
        host.iter_mut().chain(left_out).chain(cut_short).for_each(&mut *see);
        of_page(page, see);
        for GroupSeen { name, exe, cpu: _, on_path: _, untold: _, container, server } in groups {
            see(name);
            exe.iter_mut().for_each(&mut *see);
            if let Some(ContainerSeen { name, restart, php_folder }) = container {
                see(name);
                restart.iter_mut().chain(php_folder).for_each(&mut *see);
            }
            server.iter_mut().for_each(|server| of_server(server, see));
        }
        path.iter_mut().for_each(|path| of_path(path, see));
        for Missing { source: _, why, takes } in missing {
            see(why);
            see(takes);
        }
        for SyscallSeen { group: _, name, error, count: _, time_ns: _ } in syscalls {
            see(name);
            error.iter_mut().for_each(&mut *see);
        }
        files.iter_mut().for_each(|FileSeen { group: _, call: _, path, outcome: _, counted: _ }| see(path));
        for TransferSeen {
            group: _,
            path,
            reads: _,
            read_bytes: _,
            writes: _,
            written_bytes: _,
            writing_requests: _,
        } in transfers
        {
            see(path);
        }
        processes.iter_mut().for_each(|ProcessSeen { group: _, program, started: _, cpu_ns: _ }| see(program));
        compiles.iter_mut().for_each(|CompileSeen { group: _, language: _, path, counted: _ }| see(path));
        counters.iter_mut().for_each(|CounterSeen { group: _, name, count: _ }| see(name));
        connections.iter_mut().for_each(|seen| of_connection(seen, see));
        for DnsSeen { group: _, name, kind, server, counted: _ } in dns {
            [name, kind, server].into_iter().for_each(&mut *see);
        }
        queries.iter_mut().for_each(|seen| of_query(seen, see));
        locks.iter_mut().for_each(|LockSeen { group: _, kind: _, path, counted: _ }| see(path));
        for LogSeen { group: _, sink: _, path, counted: _, bytes: _, examples } in logs {
            see(path);
            examples.iter_mut().for_each(&mut *see);
        }
        response.iter_mut().for_each(|response| of_response(response, see));
        php.iter_mut().for_each(|php| of_php(php, see));
        profile.iter_mut().for_each(|profile| of_profile(profile, see));
    }
}

fn of_server(server: &mut ServerSeen, see: &mut dyn FnMut(&mut String)) {
    let ServerSeen {
        pid: _,
        pid_file,
        exe,
        config,
        prefix,
        folder,
        read,
        needs_signal: _,
        socket,
        port: _,
        account,
        unit,
        has_systemd: _,
        is_hidden: _,
        several: _,
    } = server;
    see(exe);
    [pid_file, config, prefix, folder, read, socket, account, unit].into_iter().flatten().for_each(see);
}

fn of_page(page: &mut Page, see: &mut dyn FnMut(&mut String)) {
    let Page {
        url,
        method,
        carried: Carried { headers, body, options },
        requests: _,
        latency: _,
        traced_latency: _,
        cpu: _,
        first_ns: _,
        longest_ns: _,
        warm_latency: _,
        restart,
    } = page;
    see(url);
    see(method);
    for header in headers {
        see(&mut header.name);
        header.value.iter_mut().for_each(&mut *see);
    }
    body.iter_mut().filter_map(|body| body.text.as_mut()).for_each(&mut *see);
    for option in options {
        see(&mut option.name);
        option.value.iter_mut().for_each(&mut *see);
    }
    restart.iter_mut().for_each(see);
}

fn of_path(path: &mut PathSeen, see: &mut dyn FnMut(&mut String)) {
    let PathSeen { beyond, unknown } = path;
    beyond.iter_mut().for_each(|peer| see(&mut peer.peer));
    if let Some(PathUnknown { why, takes }) = unknown {
        see(why);
        see(takes);
    }
}

fn of_connection(seen: &mut ConnectionSeen, see: &mut dyn FnMut(&mut String)) {
    let ConnectionSeen {
        group: _,
        peer,
        local: _,
        protocol: _,
        server_name,
        inside: _,
        opened: _,
        refused: _,
        handshakes: _,
        logins: _,
        exchanges: _,
        reused: _,
        unused: _,
    } = seen;
    see(peer);
    server_name.iter_mut().for_each(see);
}

fn of_query(seen: &mut QuerySeen, see: &mut dyn FnMut(&mut String)) {
    let QuerySeen {
        group: _,
        database,
        protocol: _,
        fingerprint,
        example,
        writes: _,
        counted: _,
        prepares: _,
        identical: _,
        distinct: _,
        rows: _,
    } = seen;
    [database, fingerprint, example].into_iter().for_each(see);
}

fn of_response(response: &mut Response, see: &mut dyn FnMut(&mut String)) {
    let Response { status: _, headers, body_bytes: _, answers: _, changed: _, personal: _, variants, unanswered } =
        response;
    let of_variants = variants.iter_mut().flat_map(|variant| {
        see(&mut variant.header);
        variant.headers.iter_mut()
    });
    let all: Vec<&mut (String, String)> = of_variants.chain(headers).collect();
    for (name, value) in all {
        see(name);
        see(value);
    }
    unanswered.iter_mut().for_each(|unanswered| see(&mut unanswered.why));
}

fn of_php(php: &mut PhpSettings, see: &mut dyn FnMut(&mut String)) {
    let PhpSettings { group: _, ini, ini_folder, fpm_config, extensions, settings, set_again, pool_unknown } = php;
    [ini, ini_folder, fpm_config].into_iter().chain(extensions).chain(pool_unknown).for_each(&mut *see);
    for PhpSetAgain { name, by: _, who, file, line: _, text, unknown, in_files } in set_again {
        [name, who, file, text].into_iter().chain(unknown).chain(in_files).for_each(&mut *see);
    }
    let all = std::mem::take(settings).into_iter().map(|(mut name, mut value)| {
        see(&mut name);
        see(&mut value);
        (name, value)
    });
    *settings = all.collect();
}

fn of_profile(profile: &mut ProfileSeen, see: &mut dyn FnMut(&mut String)) {
    let ProfileSeen { group: _, profiler, of_cpu: _, whole: _, lookups: _, functions } = profile;
    see(profiler);
    for FunctionSeen { name, file, own: _, all: _, calls: _, callers } in functions {
        see(name);
        see(file);
        callers.iter_mut().for_each(|CallerSeen { name, part: _, calls: _ }| see(name));
    }
}

const LEFT_OUT: &str = "…";

impl Evidence {
    /// Removes data from statements and log lines, before evidence goes to another machine: literals of SQL; in log
    /// lines numbers, quotations, and [secrets](crate::without_secrets).
    pub fn leave_out_values(&mut self) {
        for seen in &mut self.queries {
            // An older agent's may contain some; repeating it changes nothing.
            seen.example = without_values(&seen.example, &seen.fingerprint, seen.protocol);
        }
        for example in self.logs.iter_mut().flat_map(|seen| &mut seen.examples) {
            *example = line_without_values(&without_secrets(example));
        }
    }
}

/// `<30>shop[12]: user "ann" has 3` → `<30>shop[…]: user "…" has …`
fn line_without_values(line: &str) -> String {
    // Syslog's priority is not private.
    let begin = line.strip_prefix('<').and_then(|rest| rest.find('>')).map_or(0, |at| at + 2);
    let (priority, rest) = line.split_at_checked(begin).unwrap_or(("", line));
    let mut told = priority.to_owned();
    let mut letters = rest.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        // `don't` begins no quotation.
        let opens = matches!(letter, '"' | '\'' | '`') && !before.is_alphanumeric();
        if opens {
            told.push(letter);
            told.push_str(LEFT_OUT);
            if skip_quotation(&mut letters, letter) {
                told.push(letter);
            }
        } else if letter.is_numeric() {
            while letters.next_if(|next| next.is_alphanumeric() || matches!(next, '.' | '-')).is_some() {}
            told.push_str(LEFT_OUT);
        } else {
            told.push(letter);
        }
        before = letter;
    }
    told
}

/// Skips to the end of a quotation; returns whether there is one. A quote after a backslash does not count.
fn skip_quotation(letters: &mut impl Iterator<Item = char>, quote: char) -> bool {
    while let Some(letter) = letters.next() {
        if letter == quote {
            return true;
        }
        if letter == '\\' {
            letters.next();
        }
    }
    false
}

#[cfg(test)]
mod tests;
