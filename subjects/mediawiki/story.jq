# The tables of scripts/story: MediaWiki before and after a map of all classes. Each filter takes the documents of the results that `report` names.

include "figures";

def latencies:
    .[0] as $prove
    | "| | the account | here, before | after | change (95 %) | noise floor | verdict |",
      "|---|---|---|---|---|---|---|",
      ( [["p50", "26.2 → 22.7 ms, −13.4 %"], ["p90", "29.2 → 25.7 ms, −12.0 %"], ["p95", "31.1 → 27.3 ms, −12.2 %"]][]
        | . as [$name, $account]
        | $prove | comparison("class map"; "latency." + $name)
        | "| \($name) | \($account) | \(.baseline | in_unit("ns")) | \(.candidate | in_unit("ns")) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ( [["50ms", "20 % more"], ["100ms", "–"]][]
        | . as [$name, $account]
        | $prove | comparison("class map"; "within." + $name)
        | "| within \($name) | \($account) | \(.baseline | percent) | \(.candidate | percent) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ( $prove | [.comparisons[] | select(.arm == "class map" and .counter == "cpu" and (.group | test("php-fpm")))][]
        | "| CPU, \(.group) | – | \(.baseline | in_unit("ns")) | \(.candidate | in_unit("ns")) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ($prove | cautions);

def profile:
    "", "| in the profile, with all that it calls | the account | here, before |", "|---|---|---|",
    ( [.[0].functions[] | select(.name | test("^auto_?loader::|autoload"; "i"))] | sort_by(-.total_share.value) | .[:4][]
      | "| `\(.name)` | \(if .name | test("::find$"; "i") then "16.6 %" else "–" end) | \(.total_share | "\(.value | percent)\(if .low then " (\(.low | percent) to \(.high | percent))" else "" end)") |" );

def room:
    .[0].urls[0].requests_per_machine_second as $most
    | if $most == null then empty
      else "",
        "This machine can serve \($most | digits) of these requests a second, if nothing but their CPU counts: 40 a second take \(40 / $most | percent) of it. "
        + (if $most < 44 then "**That is more than it can do for long: requests pile up, and the table above is of their waiting.**"
           elif $most < 80 then "**So many requests wait for others, and their waiting is in the table above.**"
           else "So few requests wait for others." end)
      end;

def slower:
    .[0] as $prove
    | "", "At a rate that leaves half of the machine idle, \($prove.rate | digits) a second:", "",
      "| | before | after | change (95 %) | noise floor | verdict |", "|---|---|---|---|---|---|",
      ( ["latency.p50", "latency.p90", "latency.p95", "within.50ms", "within.100ms"][] as $metric
        | $prove | comparison("class map"; $metric)
        | "| \($metric | sub("latency."; "") | sub("within."; "within ")) | \(if .unit == "ns" then .baseline | in_unit("ns") else .baseline | percent end) | \(if .unit == "ns" then .candidate | in_unit("ns") else .candidate | percent end) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ($prove | cautions);

# The rate at which half of the machine is idle, where 40 a second would take more than half of it; else nothing.
def slower_rate:
    .[0].urls[0].requests_per_machine_second
    | select(. != null and . < 80)
    | . / 2
    | floor
    | if . < 1 then 1 else . end;
