# The tables of scripts/story: the ways to a service. Each filter takes the documents of the results that `report` names.

include "figures";

def ways:
    .[0] as $prove
    | ["straight by HTTP", "straight by HTTPS", "through Envoy"] as $others
    | {"straight by HTTP": "+46 %", "straight by HTTPS": "+120 %", "through Envoy": "–"} as $account
    | ($prove.comparisons | map(select(.group != null) | .group) | unique) as $groups
    | ($groups | map(select(test("nobody nginx"))) | first) as $service
    | ($groups | map(select(test("^proxy "))) ) as $proxies
    | ($prove.arms | map(.name)) as $arms
    | (first($prove.comparisons[] | select(.metric == "throughput"))) as $own
    | "| way | requests a second | the account, of Envoy | here, Unladen over this way (95 %) | noise floor | p50 | p99 |", "|---|---|---|---|---|---|---|",
      "| through Unladen | \($own.baseline | digits) | | | | \(first($prove.comparisons[] | select(.metric == "latency.p50")).baseline | time) | \(first($prove.comparisons[] | select(.metric == "latency.p99")).baseline | time) |",
      ( $others[] | select(. as $name | $arms | index($name)) | . as $arm
        | ($prove | comparison($arm; "throughput")) as $rate
        | "| \($arm) | \($rate.candidate | digits) | \($account[$arm]) | \($rate | change_back) | \($rate | floor_of) | \($prove | comparison($arm; "latency.p50").candidate | time) | \($prove | comparison($arm; "latency.p99").candidate | time) |" ),
      "", "The account gives 2.5 cores of the service without the sidecar and 0.8 with it. Here, at the rates of the table above:", "",
      "| way | CPU of the service, a page | cores | Unladen over this way (95 %) | CPU of the proxy | bytes on loopback | connections opened |", "|---|---|---|---|---|---|---|",
      ( ["through Unladen", ($others[] | select(. as $name | $arms | index($name)))] | .[] as $arm
        | (if $arm == "through Unladen" then "straight by HTTP" else $arm end) as $row
        | (if $arm == "through Unladen" then "baseline" else "candidate" end) as $side
        | ($prove | comparison($row; "weight.cpu \($service)")) as $cpu
        | ($prove | comparison($row; "throughput")[$side]) as $rate
        | "| \($arm) | \($cpu[$side] | time) | \(if $cpu == null or $cpu[$side] == null then "–" else $cpu[$side] * $rate / 1e9 | digits end) | \(if $side == "baseline" then "" else ($cpu | change_back) end) | \([$proxies[] as $group | $prove | comparison($row; "weight.cpu \($group)")[$side] // 0 | select(. > 1000)] | if length == 0 then "–" else (add | time) end) | \(first($prove.comparisons[] | select(.arm == $row and .counter == "loopback_bytes"))[$side] | in_unit("B")) | \(first($prove.comparisons[] | select(.arm == $row and .counter == "tcp_opened"))[$side] | digits) |" ),
      "", "| answered within | through Unladen | \($others | map(select(. as $name | $arms | index($name))) | join(" | ")) |",
      "|---|---|\($others | map(select(. as $name | $arms | index($name)) | "---|") | add)",
      ( ["50ms", "100ms", "250ms", "500ms", "1s"][] as $within
        | "| \($within) | \($prove | comparison("straight by HTTP"; "within." + $within).baseline | percent) | \([$others[] | select(. as $name | $arms | index($name)) | . as $arm | $prove | comparison($arm; "within." + $within).candidate | percent] | join(" | ")) |" ),
      ($prove | cautions);
