/* Rounds of runs on devices that are made up: the time of a run, and the messages about it. The clock of the rounds is
 * made up, too, so that rounds take no time: 1,000 samples end a minute. */
#include "harness/worker/measure.h"
#include "tools/tap.h"

#include <string.h>

/* A device, and the number of its calls. */
struct device {
    uint64_t run_ns;    /* of one run */
    uint64_t round_ns;  /* what a round costs besides */
    uint64_t cold_ns;   /* the last of `cold` runs takes so much longer, the one before it twice as much longer, … */
    uint64_t device_ns; /* that it says a run took; 0: it has no clock */
    uint64_t host_ns;   /* that it says all runs took; 0: what they took */
    unsigned cold, failing; /* the round that fails; 0: none does */
    bool by_dispatch;
    unsigned rounds, runs, most;
};

static uint64_t test_measure_run(void *context, uint32_t count, struct call_measured *said)
{
    struct device *d = context;
    uint64_t taken = 0;
    memset(said, 0, sizeof *said);
    d->most = count > d->most ? count : d->most;
    for (uint32_t i = 0; i < count; i++) {
        taken += d->run_ns + (d->runs < d->cold ? d->cold_ns * (d->cold - d->runs) : 0);
        d->runs++;
        said->device_ns[i] = d->device_ns;
    }
    said->by_dispatch = d->by_dispatch;
    said->host_ns = d->host_ns ? d->host_ns : taken;
    said->result.status = ++d->rounds == d->failing ? E_FAIL : S_OK;
    memset(said->state, 'x', sizeof said->state); /* without a zero */
    return taken + d->round_ns;
}

static const uint64_t MINUTE = 60000000000;
static struct measured measured;
static struct measure_rounds rounds;

static bool test_measure_measure(struct device *d, uint64_t ns)
{
    rounds = (struct measure_rounds){.run = test_measure_run, .context = d};
    return measure_make(&rounds, ns, &measured);
}

static bool all(uint64_t host, uint64_t device)
{
    bool good = measured.count > 0;
    for (uint32_t i = 0; i < measured.count; i++)
        good &= measured.samples[i].host_ns == host && measured.samples[i].device_ns == device;
    return good;
}

static void test_rounds(void)
{
    struct device d = {.run_ns = 50000, .device_ns = 40000};
    ok(test_measure_measure(&d, MINUTE) && measured.steady, "a device that takes the same again and again is steady");
    ok(measured.runs == 200, "a round takes 10 ms");
    ok(measured.count >= MEASURE_LEAST && all(50000, 40000), "a sample is the time of one run, by both clocks");
    ok(strlen(measured.state) == sizeof measured.state - 1, "the device's text about its state gets an end");

    d = (struct device){.run_ns = 10, .device_ns = 10};
    ok(test_measure_measure(&d, MINUTE) && measured.runs == CALL_RUNS && d.most == CALL_RUNS,
       "a round has 1,000 runs at most");
    ok(measured.count <= MEASURE_MOST, "there are 1,000 samples at most");

    d = (struct device){.run_ns = 3000000000};
    ok(test_measure_measure(&d, 0) && measured.runs == 1 && measured.count == MEASURE_LEAST,
       "long runs are 5 samples of one run");
    ok(all(3000000000, 0), "a device without a clock has none");
    ok(!measured.steady, "without time to warm up, nothing says that it is steady");

    d = (struct device){.run_ns = 20000, .cold_ns = 500000, .cold = 12};
    ok(test_measure_measure(&d, MINUTE) && measured.steady && all(20000, 0), "cold runs are in no sample");
    ok(measured.runs == 500, "and do not make rounds short");
}

static void test_claims(void)
{
    struct device d = {.run_ns = 100000, .round_ns = 40000000, .device_ns = 90000};
    ok(test_measure_measure(&d, MINUTE) && all(100000, 90000), "copies of the tensors to the device are in no sample");
    ok(measured.runs == 400, "a round has runs for as long as that takes");

    d.by_dispatch = true;
    d.host_ns = 1;
    d.round_ns = 0;
    ok(test_measure_measure(&d, MINUTE) && all(100000, 90000), "by dispatch, only the judge's clock counts");

    d = (struct device){.run_ns = 100000, .host_ns = UINT64_MAX, .device_ns = 1000000000000000000};
    ok(test_measure_measure(&d, MINUTE) && measured.samples[0].host_ns == 100000,
       "the host's time is never more than a round took");
    ok(measured.samples[0].device_ns <= 100000 * (uint64_t)measured.runs, "nor is the device's");
    ok(rounds.claimed_ns > 1000000000000000000 && rounds.took_ns > 0, "and who claims more than twice that is known");

    d = (struct device){.run_ns = 100000, .device_ns = 150000};
    ok(test_measure_measure(&d, MINUTE) && rounds.claimed_ns == 0, "clocks may differ a little");

    d = (struct device){.run_ns = 100000, .failing = 1};
    ok(!test_measure_measure(&d, MINUTE) && measured.count == 0, "a first run that fails ends it");
    d = (struct device){.run_ns = 100000, .failing = 6};
    ok(!test_measure_measure(&d, MINUTE) && measured.count == 0 && d.rounds == 6,
       "and so does a later one: there are no samples");
}

int main(void)
{
    test_rounds();
    test_claims();
    return tap_done();
}
