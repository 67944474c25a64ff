#!/usr/bin/env bash
# The steps of action.yml. `run` checks, tests and compares the app $IML_APP, and writes check.sarif, junit.xml and
# diff.md. `comment` writes diff.md as the comment of a pull request, or replaces the earlier one.
set -uo pipefail

# The first line of a comment. It identifies the app, as a repository can have several.
mark="<!-- iml diff: ${IML_APP//[^A-Za-z0-9._\/-]/_} -->"

iml() {
  if [ -e node_modules/.bin/iml ]; then node_modules/.bin/iml "$@"; else npx --yes --package="iml-runtime@$IML_VERSION" iml "$@"; fi
}

compare() {
  git fetch --quiet --depth=1 origin "$IML_BASE" || return
  if ! git cat-file -e "FETCH_HEAD:./$IML_APP" 2>/dev/null; then
    echo "The branch \`$IML_BASE\` has no folder of this app."
    return
  fi
  iml diff "FETCH_HEAD:./$IML_APP" "./$IML_APP" --format markdown --fail-on "$IML_FAIL_ON"
}

run() {
  local reports failed=0 status=0
  reports=$(mktemp -d "${RUNNER_TEMP:-/tmp}/iml-XXXXXX") || return
  echo "reports=$reports" >>"$GITHUB_OUTPUT"
  iml check "./$IML_APP" --format github || failed=1
  iml check "./$IML_APP" --format sarif --fail-on never >"$reports/check.sarif" || failed=1
  iml test "./$IML_APP" --reporter github --reporter "junit=$reports/junit.xml" || failed=1
  if [ -n "$IML_BASE" ]; then
    compare >"$reports/changes.md" || status=$?
    if [ "$status" != 0 ]; then failed=1; fi
    # A comment has at most 65536 characters.
    { echo "$mark" && echo "# Changes of the app" && echo && head -c 60000 "$reports/changes.md"; } >"$reports/diff.md"
    rm "$reports/changes.md"
    cat "$reports/diff.md" >>"$GITHUB_STEP_SUMMARY"
  fi
  return "$failed"
}

comment() {
  local comments="repos/$GITHUB_REPOSITORY/issues" known
  if [ ! -e "$IML_REPORTS/diff.md" ]; then return; fi
  known=$(gh api --paginate "$comments/$IML_PULL_REQUEST/comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id") || return
  known=${known%%$'\n'*}
  if [ -n "$known" ]; then
    gh api --silent --method PATCH "$comments/comments/$known" --field "body=@$IML_REPORTS/diff.md"
  else
    gh api --silent --method POST "$comments/$IML_PULL_REQUEST/comments" --field "body=@$IML_REPORTS/diff.md"
  fi
}

"$1"
