# The tables of scripts/story: what Sympa calls, and five patches. Each filter takes the documents of the results that `report` names.

include "figures";

def calls:
    # Calls of all functions whose name is like this, per request.
    def calls(like): [.functions[] | select(.name | test(like)) | .calls_per_request // 0] | add // 0 | digits;
    . as [$fresh, $warm, $fresh_patched, $warm_patched]
    | "| calls a page | the account | fresh process | with the patches | warm process | with the patches |", "|---|---|---|---|---|---|",
      ( [ ["statements of SQL", "50,846", "^DBI::st::execute$|^DBI::db::(do|selectrow_array|selectall_arrayref)$"],
          ["regular expressions evaluated", "490,000", "CORE:(match|subst)$"],
          ["regular expressions compiled", "–", "CORE:regcomp$"],
          ["calls of `syslog`, written or not", "many", "^Sympa::Log::syslog$"],
          ["locks", "many", "^Sympa::LockedFile::open$"],
          ["settings copied (`clone_var`)", "many", "^Sympa::Tools::Data::clone_var$"],
          ["languages looked for", "many", "^Sympa::get_supported_languages$"],
          ["languages switched", "–", "^Sympa::Language::set_lang$"],
          ["locales tried", "–", "^POSIX::setlocale$"],
          ["templates parsed", "–", "^Template::Parser::parse$"] ][]
        | . as [$what, $account, $like]
        | "| \($what) | \($account) | \($fresh | calls($like)) | \($fresh_patched | calls($like)) | \($warm | calls($like)) | \($warm_patched | calls($like)) |" ),
      "", "Counted by Devel::NYTProf, in \($fresh.requests) pages of fresh processes and \($warm.requests) of a warm one.";

def patches:
    .[0] as $prove
    | "", "| arm | the first page of a fresh process, p50 | change (95 %) | verdict | a later page, p50 | change (95 %) | verdict | CPU of a later page |", "|---|---|---|---|---|---|---|---|",
      ( $prove.comparisons | map(select(.metric == "cold.latency.p50")) | first ) as $cold_baseline
    | ( $prove.comparisons | map(select(.metric == "latency.p50")) | first ) as $warm_baseline
    | "| the account, without | 3 min | | | 16 s | | | |", "| the account, with all five | 8.5 s | −95.3 % | | 5.8 s | −63.8 % | | |",
      "| baseline | \($cold_baseline.baseline | time) | | | \($warm_baseline.baseline | time) | | | \(first($prove.comparisons[] | select(.counter == "cpu" and (.group | test("perl")))).baseline | time) |",
      ( $prove.arms[] | select(.roles | index("baseline") or index("baseline again") | not) | .name as $arm
        | ($prove | comparison($arm; "cold.latency.p50")) as $cold
        | ($prove | comparison($arm; "latency.p50")) as $warm
        | (first($prove.comparisons[] | select(.arm == $arm and .counter == "cpu" and (.group | test("perl")))) // null) as $cpu
        | "| \($arm) | \($cold.candidate | time) | \($cold | change) | \($cold | verdict_of) | \($warm.candidate | time) | \($warm | change) | \($warm | verdict_of) | \($cpu.candidate | time), \($cpu | change) |" ),
      "", "The noise floor is \($cold_baseline | floor_of) of a first page and \($warm_baseline | floor_of) of a later one. Pages had the same bytes in all arms, but for the token of a form.",
      ($prove | cautions);
