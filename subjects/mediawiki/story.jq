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
      ( $prove | [.comparisons[] | select(.arm == "class map" and .counter == "cpu" and (.group | test("php-fpm")))] | max_by(.baseline)
        | "| CPU, \(.group) | – | \(.baseline | in_unit("ns")) | \(.candidate | in_unit("ns")) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ($prove | cautions);

def profile:
    def share(name): first(.functions[] | select(.name == name) | .total_share) // null
        | if . == null then "not seen" else "\(.value | percent)" + (if .low then " (\(.low | percent) to \(.high | percent))" else "" end) end;
    . as [$before, $after]
    | "", "| in the profile, with all that it calls | the account | here, before | after |", "|---|---|---|---|",
      ( [["AutoLoader::find", "16.6 %"], ["AutoLoader::autoload", "–"]][]
        | . as [$name, $account]
        | "| `\($name)` | \($account) | \($before | share($name)) | \($after | share($name)) |" );

# Whether 40 a second are a load or an overload: by what the machine can do, and by what was seen.
def room:
    . as [$weigh, $prove]
    | $weigh.urls[0].requests_per_machine_second.value as $most
    | ($prove | comparison("class map"; "latency.p50").baseline) as $p50
    | ($p50 / $weigh.latency_ns.p50) as $times
    | "",
      ( if $most == null then empty else
        "If nothing but CPU counted, this machine could serve \($most | digits) of these requests a second; 40 take \(40 / $most | percent) of it." end ),
      "One after the other they take \($weigh.latency_ns.p50 | time) (p50), at 40 a second \($p50 | time).",
      ( if $times > 2 then
        "**So 40 a second are more than this machine can serve without a queue: the first table is of waiting.**"
        else "So few of them wait for others." end );

def slower:
    .[0] as $prove
    | "", "At a rate that leaves half of the machine idle, \($prove.rate | digits) a second:", "",
      "| | before | after | change (95 %) | noise floor | verdict |", "|---|---|---|---|---|---|",
      ( ["latency.p50", "latency.p90", "latency.p95", "within.50ms", "within.100ms"][] as $metric
        | $prove | comparison("class map"; $metric)
        | "| \($metric | sub("latency[.]"; "") | sub("within[.]"; "within ")) | \(if .unit == "ns" then .baseline | in_unit("ns") else .baseline | percent end) | \(if .unit == "ns" then .candidate | in_unit("ns") else .candidate | percent end) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ($prove | cautions);

# The rate at which half of the machine is idle, where 40 a second would take more than half of it; else nothing.
def slower_rate:
    .[0].urls[0].requests_per_machine_second.value
    | select(. != null and . < 80)
    | . / 2
    | floor
    | if . < 1 then 1 else . end;
