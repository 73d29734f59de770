# A program for tests of tune: bench.sh THREADS ITEMS N. It writes down each run of it, kills the tuner at the run that
# the file kill_at names (or interrupts it: interrupt_at), and takes a time that its arguments decide: 96 x 7 is the fastest.
echo "$1 $2 $3" >>runs
if [ -f kill_at ] && [ "$(wc -l <runs)" -eq "$(cat kill_at)" ]; then kill -9 $PPID; fi
if [ -f interrupt_at ] && [ "$(wc -l <runs)" -eq "$(cat interrupt_at)" ]; then kill -2 $PPID; fi
a=$(( $1 > 96 ? $1 - 96 : 96 - $1 ))
b=$(( $2 > 7 ? $2 - 7 : 7 - $2 ))
t=$(( $3 * 10 + a * 100 + b * 1000 ))
echo "{\"samples_ns\": [$t, $((t + 1)), $((t + 2)), $t, $((t + 1)), $((t + 2))]}"
