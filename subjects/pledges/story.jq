# The tables of scripts/story: a page of pledges, and a cache in front. Each filter takes the documents of the results that `report` names.

include "figures";

def by_subsystem:
    def sampled: if .per_request then "≈ \(.per_request | time) ± \(half | time)" else "–" end;
    .[0] as $weigh
    | "| CPU of a request | the account | here | ± | user | system |", "|---|---|---|---|---|---|",
      ( $weigh | following[] as $group
        | weight($group; "cpu") as $cpu | weight($group; "cpu_user") as $user | weight($group; "cpu_system") as $system
        | (if $group | test("php") then "83 ± 8 ms" elif $group | test("postgres") then "55 ± 9 ms" else "–" end) as $account
        | "| \($group) | \($account) | \($cpu.per_request | time) | \($cpu | half | time) | \($user | sampled) | \($system | sampled) |" ),
      "",
      "The ± of the account is the spread of its cycles; here it is half of the 95 % interval of the mean. User and system are sampled by the kernel, and approximate.",
      ($weigh | cautions);

def compiling:
    .[0] as $prove
    | ($prove | [.comparisons[] | select(.arm == "opcode cache" and .counter == "cpu" and (.group | test("php")))] | max_by(.baseline)) as $cpu
    | "", "| compiling | the account | here |", "|---|---|---|",
      "| CPU of PHP without an opcode cache | 83 ms | \($cpu.baseline | time) |",
      "| with one | – | \($cpu.candidate | time) |",
      "| of compiling, a request | 35 ms | \(0 - $cpu.difference.value | time) (\(0 - $cpu.difference.high | time) to \(0 - $cpu.difference.low | time)) |",
      "| share | 42 % | \(1 - $cpu.ratio | percent) (\(1 - $cpu.high | percent) to \(1 - $cpu.low | percent)) |",
      ($prove | comparison("opcode cache"; "latency.p50") | "| p50 | – | \(.baseline | time) → \(.candidate | time), \(change), \(verdict_of) |"),
      ($prove | cautions);

def capacities:
    # Where the client was the bound, no rate broke the limit, and the highest is no more than what could be tried.
    def beyond: if .lowest_broken then .lowest_broken | digits
        elif any(.trials[]; .unfit) then "none: the client could send no more" else "none" end;
    def capacity: .capacity | "\(.highest | if . then digits else "none" end) | \(beyond)";
    "", "| capacity, with \(.[0].capacity.limit) | the account | the highest rate that held | the lowest that did not |", "|---|---|---|---|",
    "| straight to the application | 60 to 100/s | \(.[0] | capacity) |",
    "| through `unladen serve`, which asks the database for each request | 350/s | \(.[1] | capacity) |",
    (.[] | cautions);

def ways:
    .[0] as $prove
    | "", "| sixteen clients at once | requests a second | against straight (95 %) | noise floor | verdict |", "|---|---|---|---|---|",
      "| straight | \($prove | comparison("by max-age"; "throughput").baseline | digits) | | | |",
      ( $prove.arms[] | select(.roles | index("baseline") or index("baseline again") | not) | .name as $arm
        | $prove | comparison($arm; "throughput")
        | "| \($arm) | \(.candidate | digits) | \(change) | \(floor_of) | \(verdict_of) |" ),
      ($prove | cautions);

def variants:
    .[0].answers
    | "", "| language | country | first | again | who says that he is elsewhere | the page |", "|---|---|---|---|---|---|",
      ( _nwise(3)
        | "| \(.[0].language) | \(.[0].page | split(" ")[1] // "?") | `\(.[0].status)` | `\(.[1].status)` | \(if .[2].page == .[0].page then "gets the same page" else "**gets another page**" end) | `\(.[0].page)` |" ),
      "",
      "Nine visitors, \(map(.page) | unique | length) pages: each language has its own in each country, and \(map(select(.status | test("hit"))) | length) of \(length) answers came from memory.";
