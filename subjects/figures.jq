# What the tables of `scripts/story` have in common: figures with their units and intervals, of the documents that unladen writes.

# Three digits that count.
def digits:
    if . == null then "–"
    elif . == 0 then "0"
    else . as $n
        | (pow(10; ([2 - (fabs | log10 | floor), 0] | max))) as $scale
        | if ($n | fabs) >= 1000
            then ($n | round | tostring | explode | reverse
                | [range(0; length) as $i | if $i > 0 and $i % 3 == 0 and .[$i] != 45 then [44, .[$i]] else [.[$i]] end]
                | add | reverse | implode)
            else (($n * $scale | round) / $scale | tostring)
          end
    end;

def time:
    if . == null then "–"
    elif fabs < 1e3 then "\(digits) ns"
    elif fabs < 1e6 then "\(. / 1e3 | digits) µs"
    elif fabs < 1e9 then "\(. / 1e6 | digits) ms"
    else "\(. / 1e9 | digits) s"
    end;

# One digit after the point, and always a sign.
def signed: if . == null then "–" else (if . < 0 then "−" else "+" end) + ((fabs * 10 | round) / 10 | tostring) end;
def percent: if . == null then "–" else ((. * 1000 | round) / 10 | tostring) + " %" end;

# A value in its unit.
def in_unit(unit):
    if . == null then "–"
    elif unit == "ns" then time
    elif unit == "B" then (if fabs >= 1e3 then "\(. / 1e3 | digits) kB" else "\(digits) B" end)
    elif unit == "1/s" then "\(digits)/s"
    else digits
    end;

# Half of the interval, as tables with a ± have it.
def half: if .low == null or .high == null then null else (.high - .low) / 2 end;

# The row of one metric of one arm.
def comparison(arm; metric): first(.comparisons[] | select(.arm == arm and .metric == metric)) // null;

# "−13.4 % (−15.0 to −11.8)", of a ratio to the baseline; of a share, whose ratio says little, in points.
def change:
    if . == null then "–"
    elif (.metric | startswith("within.")) and .difference != null then
        .difference | "\(.value * 100 | signed) points (\(.low * 100 | signed) to \(.high * 100 | signed))"
    elif .ratio == null then "–"
    elif .ratio >= 3 then "\(.ratio | digits) times (\(.low | digits) to \(.high | digits))"
    else "\((.ratio - 1) * 100 | signed) % (\((.low - 1) * 100 | signed) to \((.high - 1) * 100 | signed))"
    end;

# The same of the baseline, from a ratio to it: how much more the baseline has.
def change_back:
    if . == null or .ratio == null or .low == 0 or .ratio == 0 or .high == null or .low == null then "–"
    else "\((1 / .ratio - 1) * 100 | signed) % (\((1 / .high - 1) * 100 | signed) to \((1 / .low - 1) * 100 | signed))"
    end;

# The noise floor, a share.
def floor_of: if . == null or .floor == null then "–" else .floor | percent end;
def verdict_of:
    if . == null then "not measured"
    elif .metric == "throughput" or (.metric | startswith("within.")) then
        .verdict | sub("faster"; "more") | sub("slower"; "less")
    else .verdict
    end;

# What limits a result: sentences, as a list. Nothing where there is nothing.
def cautions:
    [
        (if .ended != null and .ended != "complete" then "The measurement ended early (\(.ended))." else empty end),
        (if .fit == false then "The figures are marked unfit: \(.unfit | join("; "))." else empty end),
        (.arms // [] | .[] | select(.errors > 0) | "\(.errors) requests of the arm `\(.name)` failed."),
        (.warnings // [] | .[])
    ] | unique | map("- \(gsub("\n"; " "))") | if length == 0 then empty else "", "Of this measurement unladen says:", "", .[] end;

# The largest weights: rows of groups that follow the requests.
def weight(group; counter): first(.weights[] | select(.group == group and .counter == counter)) // null;
def following: [.weights[] | select(.counter == "cpu" and .follows and .group != "machine")] | sort_by(-.per_request) | map(.group);
