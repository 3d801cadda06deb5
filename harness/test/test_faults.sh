#!/bin/bash
# Each fault is detected and named, no case is lost, and the run goes on.
. tools/tap.sh
few_operators
filter=(gather_nd.examples 'nonzero_coordinates.examples*' gather.types)
planned=$("$ASSAY" list --count "${filter[@]}")
db=$TMPDIR/faults.db

# judged GOT STATUS EXIT FAULT PATTERN: looks at the last run, which has exited with GOT. STATUS may be two statuses
# joined by "','".
judged() {
    local run
    is "$1" "$3" "$4: exit status $3"
    run=$(sqlite3 "$db" 'select max(run_id) from runs')
    is "$(sqlite3 "$db" "select count(*) from results where run_id = $run")" "$planned" '  every case has a row'
    is "$(sqlite3 "$db" "select count(*) > 5 from results where run_id = $run and status in ('$2')")" 1 \
        "  several are $2"
    is "$(sqlite3 "$db" "select count(*) from results where run_id = $run and status not in ('pass', '$2')")" 0 \
        '  the others pass'
    like "$(sqlite3 "$db" "select message from results where run_id = $run and status in ('$2') limit 1")" "$5" \
        "  with: $5"
}

# fault STATUS EXIT FAULT PATTERN [NUMBER]: runs with the fault at every fifth call, or at every NUMBER-th.
fault() {
    "$ASSAY" run "${filter[@]}" -d "mutants:fault=$3,every=${5:-5},level=6_4" --timeout 1 --db "$db" >/dev/null 2>&1
    judged $? "${@:1:4}"
}

# Each hang takes its second, beside the rest of the test.
short=(gather_nd.examples 'nonzero_coordinates.examples*' gather_nd.limits.input-rank-1-highest)
"$ASSAY" run "${short[@]}" -d mutants:fault=hang,every=2,level=6_4 --timeout 1 --db "$TMPDIR/hang.db" >/dev/null 2>&1 &
hanging=$!

fault fail 1 flip-bit 'elements of .* are wrong'
fault fail 1 do-nothing 'never written'
fault fail 1 zero-output 'elements of .* are wrong'
# Depending on a tensor's size, and on which side of its pages it is, the bytes around it are canaries or in a guard
# page.
fault "fail','crash" 1 write-before-start 'SIGSEGV .*before the start of|wrote outside .*before its start'
fault "fail','crash" 1 write-past-end 'SIGSEGV .*past the end of|wrote outside'
fault "fail','crash" 1 write-far-past-end 'SIGSEGV .*past the end of|wrote outside'
fault crash 1 write-input 'SIGSEGV .*read-only input'
fault crash 1 read-past-end 'SIGSEGV .*past the end of'
fault crash 1 read-before-start 'SIGSEGV .*touched 1 bytes before the start of'
fault crash 1 read-before-output 'SIGSEGV .*touched 4 bytes before the start of' 2
fault crash 1 crash 'SIGSEGV .*null pointer'
like "$(sqlite3 "$db" \
    "select printed from results where run_id = (select max(run_id) from runs) and status = 'crash'")" \
    'about to touch' '  and its output is shown'
fault crash 1 abort 'SIGABRT'
fault crash 1 exit 'exited with status 3'
fault crash 1 kill 'SIGKILL'
fault crash 1 overflow-stack 'SIGSEGV .*stack overflowed'
fault crash 1 crash-create 'SIGSEGV'
"$ASSAY" run gather.types -d mutants:fault=take-signal-open --db "$db" >/dev/null 2>"$TMPDIR/err"
is $? 1 'a device that changes signal handlers when it is opened fails the run'
like "$(cat "$TMPDIR/err")" "^assay: device '.*': opening it changed signal handlers, which belongs to the process$" \
    '  which is reported'
is "$(sqlite3 "$db" 'select group_concat(distinct status) from results where run_id = (select max(run_id) from runs)')" pass \
    '  but its cases pass'
# Process state is restored for the next cases, and only the case that changed it fails.
once=$(($("$ASSAY" list --count gather.types) * 2 / 3))
"$ASSAY" run gather.types -d "mutants:fault=round-up,every=$once" -j 1 --batch 8 --db "$db" >/dev/null 2>&1
is $? 1 'a change that no case repeats alone fails the run'
is "$(sqlite3 "$db" 'select group_concat(distinct status) from results where run_id = (select max(run_id) from runs)')" pass \
    '  but not its cases'
"$ASSAY" run gather.types -d mutants:fault=round-up,every=30 --batch 1 --db "$db" >/dev/null 2>&1
is "$(sqlite3 "$db" "select sum(status = 'fail') between count(*) / 40 and count(*) / 20 from results where run_id = (select max(run_id) from runs)")" \
    1 'of cases that are run one by one, about every 30th is blamed'

# Faults that outlive a dispatch or write to memory other than the outputs; without "every" they strike every case.
state() {
    local run
    "$ASSAY" run "${filter[@]}" gather_nd.memory -d "mutants:fault=$1" --timeout 1 --db "$db" >/dev/null 2>&1
    is $? 1 "$1: exit status 1"
    run=$(sqlite3 "$db" 'select max(run_id) from runs')
    is "$(sqlite3 "$db" \
        "select count(*) > 0 from results where run_id = $run and status = 'fail' and message glob '$2'")" 1 \
        "  several fail with: $2"
    is "$(sqlite3 "$db" "select count(*) from results where run_id = $run and status not in ('pass', 'fail')")" 0 \
        '  the others pass'
}
state second-wrong 'dispatched a second time, with other contents and bindings: * are wrong'
state second-nothing 'dispatched a second time, * were never written'
state remember-output 'dispatched a second time, * were never written'
state scale-by-zero 'dispatched a second time, *'
state fill-binding 'dispatched a second time, *wrote outside *past its end'
state write-mapped-input 'dispatch returned E_FAIL' # the kernel refuses: an input cannot be made writable
state write-elsewhere 'wrote *'
state null-operator 'create_operator succeeded, and left no result (S_OK)'
state null-compiled 'compile_operator succeeded, and left no result (S_OK)'
state dangling-operator 'create_operator failed, yet its result is not null (E_INVALIDARG)'
state round-up 'changed the floating-point mode, which belongs to the process, while they were dispatched'
state flush-denormals 'changed the floating-point mode, *'
state block-signal 'changed the signal mask, *'
state take-signal 'changed signal handlers, *'
state set-locale 'changed the locale, which belongs to the process, while operators were created'
state change-folder 'changed the working directory, *'
state change-umask 'changed the umask, *'
state change-environment 'changed the environment, which belongs to the process, while they were destroyed'
state write-late 'wrote * after dispatch had returned'
fault device_lost 1 lose-device 'device is lost' 3
fault fail 1 fail-dispatch 'dispatch returned E_FAIL'
fault fail 1 reject-all 'rejected, although legal'
fault fail 1 reject-late 'CompileOperator returned E_INVALIDARG'
fault fail 1 support-nothing 'promises it'

# Answers to descriptions that must be rejected.
filter=('gather.violations.axis-range.*' 'gather.violations.same-type.*' 'gather.violations.output-rank.*')
planned=$("$ASSAY" list --count "${filter[@]}")
fault warn 0 other-error 'rejected, but not with E_INVALIDARG'
fault fail 1 accept-all 'accepted, although'

# Whatever a legal case tests, it fails if the outputs are not written.
indexed=(gather gather_elements gather_nd gather_nd1 scatter_elements scatter_nd nonzero_coordinates)
"$ASSAY" run "${indexed[@]}" '*.types.*' -d mutants:fault=do-nothing,level=6_4 --db "$db" >/dev/null 2>&1
is "$(sqlite3 "$db" "select group_concat(distinct status) from results where run_id = (select max(run_id) from runs)
    and expected like '%outputs%'")" fail 'no case that checks outputs passes or warns if none are written'

# A lost device, and a death that no case repeats alone.
"$ASSAY" run gather.types -d "mutants:fault=lose-device,every=$once" -j 1 --batch 8 >/dev/null 2>"$TMPDIR/err"
is $? 1 'a batch that is lost as a whole fails the run, though each case passes alone'
like "$(cat "$TMPDIR/err")" 'died as a whole' '  which is reported'

# With --max-deaths 0 a device that always dies has a row for each death.
"$ASSAY" run gather.types -d mutants:fault=crash-create --max-deaths 0 --db "$db" >/dev/null 2>&1
is $? 1 'a device that dies at every case fails'
is "$(sqlite3 "$db" "select count(*) from results where run_id = (select max(run_id) from runs) and status = 'crash'")" \
    "$("$ASSAY" list --count gather.types)" '  each case is a crash'

filter=("${short[@]}")
planned=$("$ASSAY" list --count "${filter[@]}")
wait $hanging
status=$?
db=$TMPDIR/hang.db
judged $status timeout 1 hang 'no answer within 1000 ms'
db=$TMPDIR/faults.db

# Nothing is left behind.
left=0
while read -r worker; do
    [ "${worker%cmdline}cwd" -ef . ] && left=$((left + 1)) # not those of this test run in another folder
done < <(grep -lz '[e]very=[0-9]*,level=6_4' /proc/[0-9]*/cmdline 2>/dev/null)
is $left 0 'no worker of these runs is left'
# cause MUTANT CAUSE FILTER…: all failures have this cause, by which they are grouped.
cause() {
    "$ASSAY" run "${@:3}" -d "mutants:$1" --timeout 1 --db "$db" >/dev/null 2>&1
    is "$(sqlite3 "$db" \
        "select group_concat(distinct cause) from failures where run_id = (select max(run_id) from runs)")" "$2" \
        "$1: the cause is: $2"
}
cause fault=flip-bit,every=5 'wrong result' gather_nd.examples
cause fault=write-before-start,every=5 'corrupt memory' gather_nd.examples
cause fault=crash,every=5 crash gather_nd.examples
cause fault=hang,every=5 timeout gather_nd.examples --batch 1
cause fault=round-up,every=5 conduct gather_nd.examples --batch 1
cause ignore=GATHER/data-types 'wrong accept' 'gather.violations.data-types.*'
cause reject=GATHER/data-types 'wrong reject' gather.types

tap_done
