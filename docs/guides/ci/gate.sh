#!/bin/sh
# gate.sh: judges the commit that is checked out in the working folder, a page of which answers at URL. It ends with 0,
# or with the exit code of the first command that does not: docs/guides/ci-gate.md.
#
# The steps are those of github-actions.yml and gitlab-ci.yml beside it, word for word.
#
#   URL            the page; it has to be set
#   BASE           the revision that the change is held against [origin/main]
#   BRANCH         what the results are called by [the branch that is checked out]
#   RULE           the rule that must find nothing [n-plus-one]
#   LIMIT          what fails the load ['p95 > 250ms']
#   RATE           requests a second of the load [20]
#   LOAD, WEIGH    options of these, such as how long they take ['-t 20s']
#   PROVE          options of this one: of the length, gate.toml says it ['']
#   UNLADEN_STORE  where results are kept from job to job [runs.sqlite of the user]
# Options are several words:
# shellcheck disable=SC2086
set -eu
: "${URL:?the page to judge}" "${BASE:=origin/main}" "${BRANCH:=$(git rev-parse --abbrev-ref HEAD)}"
: "${RULE:=n-plus-one}" "${LIMIT:=p95 > 250ms}" "${RATE:=20}" "${LOAD:=-t 20s}" "${WEIGH:=-t 20s}" "${PROVE:=}"

# step: the change as a patch
git diff "$BASE...HEAD" >change.patch

# step: a limit under load
unladen load -q --rate "$RATE" $LOAD --fail-on "$LIMIT" --fail-on 'errors > 1%' --label "branch=$BRANCH" \
    --junit load.xml --markdown "${GITHUB_STEP_SUMMARY:-load.md}" "$URL"

# step: the change against main
if [ -s change.patch ]; then
    here=$(git symbolic-ref -q --short HEAD || git rev-parse HEAD)
    trap 'git checkout -q "$here"' EXIT
    git checkout -q --detach "$(git merge-base "$BASE" HEAD)"
    unladen prove -q $PROVE gate.toml --fail-on 'p50 > +10%' --fail-on 'errors > 0' --label "branch=$BRANCH" \
        --junit prove.xml --markdown "${GITHUB_STEP_SUMMARY:-prove.md}" --sarif prove.sarif
    git checkout -q "$here"
fi

# step: rules, and main's last run
against=
if [ "$BRANCH" != main ] && unladen runs show branch=main >shown.txt 2>&1; then
    against='--against branch=main --tolerate 5%'
fi
unladen weigh -q $WEIGH $against --fail-on "$RULE" --label "branch=$BRANCH" \
    --junit weigh.xml --markdown "${GITHUB_STEP_SUMMARY:-weigh.md}" --sarif weigh.sarif "$URL"
