#!/bin/bash
# tools/subjects refuses subjects of commits that are not imperative.
. tools/tap.sh
subjects=$PWD/tools/subjects
cd "$TMPDIR" || exit 1
git init -q . && git config user.name someone && git config user.email someone@example.com
# said SUBJECT: prints the words of the script of a commit with this subject.
said() {
    git commit -q --allow-empty -m "$1"
    "$subjects" 1 | sed 's/^[0-9a-f]*: //'
}
is "$(said 'store: add a column')" '' 'an imperative with its area'
is "$(said 'store: process rows')" '' '  also one that ends in s'
is "$(said 'store: added a column')" 'expected an imperative, not "added": store: added a column' 'a past tense'
is "$(said 'store: adding a column')" 'expected an imperative, not "adding": store: adding a column' 'a participle'
is "$(said 'store: adds a column')" 'expected an imperative, not "adds": store: adds a column' 'a third person'
is "$(said 'Add a column')" 'expected "AREA: DO SOMETHING", not: Add a column' 'no area'
"$subjects" 1 >/dev/null
is $? 1 'a violation is a failure'
tap_done
