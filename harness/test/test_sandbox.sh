#!/bin/bash
# A device may read everything and write into its scratch folder, but do nothing else to the machine; attempts are
# reported. Each attempt succeeds where it is allowed, which shows that the sandbox is what denies it.
. tools/tap.sh
filter=(gather.examples.vector gather.examples.columns)
db=$TMPDIR/sandbox.db
export MUTANT_FILE=$TMPDIR/target TMPDIR
if "$ASSAY" devices | grep -q '^  sandbox .*Landlock .*seccomp'; then
    ok 0 'this kernel has Landlock and seccomp'
else
    echo "1..0 # SKIP this kernel lacks Landlock or seccomp"
    exit 0
fi

# run FAULT ARGUMENTS…
run() {
    local fault=$1
    shift
    "$ASSAY" run "${filter[@]}" -d "mutants:fault=$fault" --db "$db" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    where="run_id = (select max(run_id) from runs)"
}
# denied FAULT PATTERN OPTION: every case fails with a message like this, which is also printed to standard error, with
# the option that permits it.
denied() {
    run "$1"
    is $status 1 "$1: exit status 1"
    is "$(sqlite3 "$db" "select group_concat(distinct status) from results where $where")" fail '  every case fails'
    like "$(sqlite3 "$db" "select message from results where $where limit 1")" \
        "^tried to $2, which was denied, while they were dispatched" \
        "  with: tried to $2"
    like "$(cat "$TMPDIR/err")" \
        "^assay: device 'mutants:fault=$1' tried to $2, which was denied; --allow $3 permits it\$" \
        '  and it is reported once, with the option that permits it'
}
# absent FILE NAME
absent() {
    [ ! -e "$1" ]
    ok $? "$2"
}
# allowed FAULT PERMISSION
allowed() {
    run "$1" --allow "$2"
    is "$status $(cat "$TMPDIR/err")" '0 ' "$1: passes with --allow $2"
}
file=$(realpath "$TMPDIR")/target

# Files.
folder=$(realpath "$TMPDIR")
denied write-file "write $file" "write=$folder"
absent "$file" '  there is no such file'
allowed write-file write="$TMPDIR"
is "$(cat "$file")" here '  and the file is there'
echo mine >"$file"
for fault in write-file cut-file; do
    denied $fault "write $file" "write=$file"
    is "$(cat "$file")" mine '  the file is as it was'
done
denied remove-file "remove $file" "write=$folder"
denied rename-file "rename $file" "write=$folder.*"
is "$(cat "$file")" mine '  the file is as it was'
denied make-folder "make $file-folder" "write=$folder"
rm "$file"
denied make-folder "make $file" "write=$folder"
absent "$file" '  there is no such folder'
allowed make-folder write="$folder"
rmdir "$file"
echo mine >"$file"
chmod 600 "$file"
denied change-mode "change the mode of $file" all
is "$(stat -c %a "$file")" 600 '  it has the mode that it had'
allowed cut-file write="$file"
is "$(cat "$file")" '' '  one file is allowed alone'
allowed remove-file all
absent "$file" '  and everything'
for fault in write-file-open write-file-child; do
    run $fault
    is $status 0 "$fault: a denial outside the calls of a case is not a failure"
    like "$(cat "$TMPDIR/err")" "^assay: device '.*' tried to write $file, which was denied" '  but is reported'
    absent "$file" '  there is no such file'
done

# Calls that fail for another reason than the sandbox fail with the kernel's error, and are not reported.
cat >"$TMPDIR/errors.py" <<'END'
import errno, os, sys
folder = os.path.realpath(os.environ["ERRORS_IN"])
def error(call, *arguments):
    try: return call(*arguments) and None
    except OSError as error: return errno.errorcode[error.errno]
file, missing = folder + "/file", folder + "/missing"
print(error(os.mkdir, folder), error(os.mkdir, file), error(os.symlink, "x", file), error(os.link, file, file),
      error(os.mkfifo, file), error(os.open, file, os.O_WRONLY | os.O_CREAT | os.O_EXCL),
      error(os.open, folder, os.O_WRONLY), error(os.open, folder, os.O_RDWR | os.O_CREAT), error(os.truncate, missing, 0),
      error(os.rename, missing, missing), error(os.remove, missing), error(os.chmod, missing, 0), error(os.mkdir,
      missing + "/below"), error(os.utime, missing), file=sys.stderr)
END
mkdir "$TMPDIR/errors"
touch "$TMPDIR/errors/file"
export ERRORS_IN=$TMPDIR/errors
without=$(python3 "$TMPDIR/errors.py" 2>&1)
is "$without" "$(printf 'EEXIST %.0s' {1..6})EISDIR EISDIR$(printf ' ENOENT%.0s' {1..6})" 'errors without the sandbox'
"$ASSAY" run -d "bridge:/usr/bin/python3 $TMPDIR/errors.py" >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "it printed: $without \(DXGI_ERROR_UNSUPPORTED\)\$" '  are the same inside'
is "$(grep -c 'tried to' "$TMPDIR/err")" 0 '  and none is reported'

# Calls that reach other processes, files open for reading, or the machine. Arguments are wrong, or change nothing: with
# --allow all the kernel finds that, otherwise the filter refuses the call before.
cat >"$TMPDIR/reach.py" <<'END'
import ctypes, errno, os, resource, sys
libc = ctypes.CDLL(None, use_errno=True)
def error(call, *arguments):
    ctypes.set_errno(0)
    try: return errno.errorcode[ctypes.get_errno()] if call(*arguments) == -1 else None
    except OSError as error: return errno.errorcode[error.errno]
parent, limit = os.getppid(), resource.RLIMIT_FSIZE
file = os.open(os.environ["ERRORS_IN"] + "/file", os.O_RDONLY)
print("limits", error(resource.prlimit, parent, limit, resource.getrlimit(limit)), error(resource.prlimit, 0, limit,
      resource.getrlimit(limit)), error(resource.prlimit, os.getppid(), limit), file=sys.stderr)
print("files", *{error(libc.ioctl, file, ctypes.c_ulong(number), 1) for number in (0x40086602, 0x40046602, 0x401c5820,
      0x40087602, 0x1deadbeef40086602)}, file=sys.stderr)
print("ids", error(libc.shmctl, -1, 0, 0), error(libc.semctl, -1, 0, 0), error(libc.msgctl, -1, 0, 0),
      error(libc.mq_unlink, b"/none"), file=sys.stderr)
zeros, name = ctypes.create_string_buffer(1024), os.uname().nodename.encode()
print("machine", error(libc.clock_settime, 99, zeros), error(libc.adjtimex, zeros), error(libc.sethostname, name,
      len(name)), error(libc.reboot, 1), file=sys.stderr)
END
"$ASSAY" run -d "bridge:/usr/bin/python3 $TMPDIR/reach.py" >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" 'limits EPERM None None' 'a device cannot change the limits of other processes'
like "$(cat "$TMPDIR/err")" 'files EPERM ids' '  nor flags of a file that is open for reading'
like "$(cat "$TMPDIR/err")" 'ids ENOSYS ENOSYS ENOSYS ENOSYS' '  nor shared memory, semaphores and queues'
like "$(cat "$TMPDIR/err")" 'machine EPERM EPERM EPERM EPERM' '  nor clocks and names of the machine'
"$ASSAY" run -d "bridge:/usr/bin/python3 $TMPDIR/reach.py" --allow all >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" 'limits None None None' 'without the filter the limits can be changed'
like "$(cat "$TMPDIR/err")" 'ids EINVAL EINVAL EINVAL (ENOENT|ENOSYS) machine EINVAL None' '  and the kernel sees the other calls'

# The scratch folder.
run use-scratch
is "$status $(cat "$TMPDIR/err")" '0 ' 'a device may write into its scratch folder'
is "$(find "$TMPDIR" -mindepth 1 -name 'assay-*')" '' '  which is gone afterwards, with its files'
HOME=$TMPDIR
mkdir -p "$HOME/.cache"
env -u XDG_CACHE_HOME "$ASSAY" run -d "bridge:sh -c 'echo cache=\$XDG_CACHE_HOME >&2'" >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "cache=$(realpath "$HOME")/.cache/assay/[0-9a-f]{16} " 'each device has a cache of its own'
env -u XDG_CACHE_HOME "$ASSAY" run -d "bridge:sh -c 'echo x >\$XDG_CACHE_HOME/kept; echo \$XDG_CACHE_HOME >&2'" \
    >/dev/null 2>"$TMPDIR/err"
is "$(cat "$HOME"/.cache/assay/*/kept)" x '  a device may write there, and the files stay'
is "$(find "$HOME/.cache/assay" -mindepth 1 -maxdepth 1 | wc -l)" 1 '  and a cache in which nothing was kept is gone'
env -u XDG_CACHE_HOME HOME=/proc "$ASSAY" run -d "bridge:sh -c 'echo cache=\$XDG_CACHE_HOME >&2'" >/dev/null \
    2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" 'cache=/.*/assay-[^/]*$' '  the scratch folder serves if no cache can be made'
env -u XDG_CACHE_HOME "$ASSAY" run -d "bridge:sh -c 'echo cache=\$XDG_CACHE_HOME >&2'" --allow write="$HOME/.cache" \
    >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" 'cache= ' '  a device that may write to the usual cache folder uses that'
run crash -j 2
is "$(find "$TMPDIR" -mindepth 1 -name 'assay-*')" '' 'the scratch folders of crashed processes are gone too'

# Sockets.
cat >"$TMPDIR/listen.py" <<'END'
import os, select, socket, sys
tcp, udp, unix = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
tcp.bind(("127.0.0.1", 0))
udp.bind(("127.0.0.1", tcp.getsockname()[1]))
unix.bind(sys.argv[1] + "/unix")
for one in tcp, unix: one.listen()
open(sys.argv[1] + "/port.new", "w").write(str(tcp.getsockname()[1]))
os.rename(sys.argv[1] + "/port.new", sys.argv[1] + "/port")
names = {tcp: "tcp", udp: "udp", unix: "unix", sys.stdin: None}
while True:
    for one in select.select(list(names), [], [])[0]:
        if one is sys.stdin: sys.exit()
        if one is udp: one.recv(100)
        else: one.accept()[0].close()
        with open(sys.argv[1] + "/heard", "a") as heard: heard.write(names[one] + "\n")
END
mkfifo "$TMPDIR/hold"
python3 "$TMPDIR/listen.py" "$TMPDIR" <"$TMPDIR/hold" &
exec 9>"$TMPDIR/hold"
for _ in $(seq 500); do [ -e "$TMPDIR/port" ] && break; sleep 0.02; done
MUTANT_PORT=$(cat "$TMPDIR/port")
export MUTANT_PORT
denied connect 'open a socket \(AF_INET\)' network
denied send 'open a socket \(AF_INET\)' network
MUTANT_FILE=$TMPDIR/unix
denied connect-unix "connect to the socket $MUTANT_FILE" network
# A message that is allowed arrives; nothing sent earlier is still on its way.
for fault in connect send connect-unix; do
    absent "$TMPDIR/heard" "$fault: nothing has arrived"
    allowed $fault network
    for _ in $(seq 500); do [ -e "$TMPDIR/heard" ] && break; sleep 0.02; done
    is "$(sort -u "$TMPDIR/heard")" "$(sed 's/connect-//; s/connect/tcp/; s/send/udp/' <<<"$fault")" '  and it arrives'
    rm -f "$TMPDIR/heard"
done
exec 9>&-
wait
MUTANT_FILE=$file

# Memory.
run exhaust-memory --allow memory=600
is $status 1 'exhaust-memory: exit status 1'
like "$(sqlite3 "$db" "select message from results where $where limit 1")" \
    '^killed by SIGABRT \(it used up its limit of 600 MiB of memory\)' '  the message names the limit'
run exhaust-memory
like "$(sqlite3 "$db" "select message from results where $where limit 1")" \
    '^killed by SIGABRT \(it used up its limit of [0-9]+ MiB of memory\)' '  there is a limit by default'
allowed take-memory memory=0

# Every command that runs devices.
"$ASSAY" devices mutants:fault=connect --operator GATHER >"$TMPDIR/out" 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/out" "$TMPDIR/err")" 'tried to open a socket' 'devices'
"$ASSAY" repro "$("$ASSAY" list "${filter[@]}" | head -n 1)" -d mutants:fault=write-file >"$TMPDIR/out" 2>"$TMPDIR/err"
is $? 1 'repro: exit status 1'
like "$(cat "$TMPDIR/out")" '^  message +tried to write' '  with a message'
like "$("$ASSAY" run "${filter[@]}" -d mutants:fault=flip-bit --allow network --allow write="$TMPDIR" | grep reproduce \
    | head -n 1)" \
    "--allow 'network' --allow 'write=$TMPDIR'\$|--allow network --allow write=$TMPDIR\$" \
    'a reproduce line repeats --allow'
"$ASSAY" fuzz -d mutants:fault=write-file-open --count 1000 >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "tried to write $file" 'fuzz'
"$ASSAY" compare --time "${filter[@]}" -d mutants:fault=write-file-open -d reference --repeats 5 >/dev/null \
    2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "tried to write $file" 'compare --time'
"$ASSAY" fingerprint gather.indices -d mutants:fault=write-file-open >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "tried to write $file" 'fingerprint'
"$ASSAY" bisect "$("$ASSAY" list "${filter[@]}" | tail -n 1)" "${filter[@]}" -d mutants:fault=write-file-open \
    >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "tried to write $file" 'bisect'
"$ASSAY" repro "$("$ASSAY" list "${filter[@]}" | head -n 1)" --export dxdispatch "$TMPDIR/model"
"$ASSAY" dispatch "$TMPDIR/model/model.json" -d mutants:fault=write-file --output "$TMPDIR" >/dev/null 2>"$TMPDIR/err"
like "$(cat "$TMPDIR/err")" "tried to write $file" 'dispatch'
absent "$file" 'none of them wrote the file'

# Mistakes, and the file of defaults.
refused() {
    "$ASSAY" run -d reference --allow "$1" >/dev/null 2>"$TMPDIR/err"
    is "$?" 2 "--allow $1 is refused"
    like "$(cat "$TMPDIR/err")" "$2" "  with: $2"
}
refused everything 'expected write=PATH, read=PATH, network, memory=MIB or all, got "everything"'
refused memory=1g 'expected a whole number'
refused memory= 'expected a whole number'
refused write= 'No such file'
refused "write=$TMPDIR/nowhere" 'No such file'
root=$PWD assay=$(realpath "$ASSAY")
cd "$TMPDIR" || exit 1
printf 'allow = write=%s\nallow = network\n' "$TMPDIR" >.assay
"$assay" run "${filter[@]}" -d mutants:fault=write-file >/dev/null 2>"$TMPDIR/err"
is "$? $(cat "$file")" '0 here' 'a file of defaults can allow things'
like "$("$assay" devices reference --operator GATHER)" '^  sandbox .*, sockets, ' '  and is shown'
cd "$root" || exit 1
tap_done
