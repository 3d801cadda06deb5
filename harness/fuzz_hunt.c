#include "harness/fuzz_hunt.h"

#include "harness/fuzz_check.h"
#include "harness/runner.h"
#include "harness/testcase.h"
#include "harness/trial.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_MS = 100, DEATHS_MOST = 1000, CHECKPOINT_S = 2, IDLE_MOST = 4 };

struct hunter {
    struct fuzz_port port;
    char harmed[200]; /* why the chunk is being watched */
    unsigned idle;    /* so many processes in a row have tried nothing */
    struct opdesc seeds[FUZZ_CORPUS];
    unsigned deaths[FUZZ_RULES + 1]; /* in this chunk, by the rule to blame + 1 */
};

struct search {
    struct fuzz_hunt *hunt;
    struct hunter *hunters;
    uint64_t next, last;     /* chunks: next to be given out, first that is not */
    uint64_t started, saved; /* when */
    uint64_t deaths;
    struct error *error;
};

/* ---- chunks */

/* Operators in turn, another one first in each turn, so that shards get all of them. */
static int op_of(const struct fuzz_hunt_config *config, uint64_t chunk)
{
    uint64_t count = (uint64_t)config->op_count;
    return config->ops[(chunk + chunk / count) % count];
}

static bool is_over(const struct search *s)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    uint64_t elapsed = trial_clock() - s->started;
    return s->next >= s->last || runner_interrupted() || s->deaths >= DEATHS_MOST ||
           (config->seconds && elapsed >= config->seconds * 1000000000u);
}

/* As many as a chunk takes, others from chunk to chunk. */
static uint32_t choose_seeds(const struct fuzz_hunt_config *config, unsigned op, uint64_t chunk,
                             struct opdesc seeds[FUZZ_CORPUS])
{
    uint64_t all = 0, seen = 0, from = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < config->seed_count; i++)
        all += config->seeds[i].op == op;
    if (all > FUZZ_CORPUS)
        from = chunk / (uint64_t)config->op_count * FUZZ_CORPUS % all;
    for (size_t i = 0; i < config->seed_count; i++)
        if (config->seeds[i].op == op && (seen++ + all - from) % all < FUZZ_CORPUS)
            seeds[count++] = config->seeds[i].desc;
    return count;
}

static int give(struct search *s, struct hunter *h)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    int op = op_of(config, s->next);
    uint64_t begin = s->next * FUZZ_CHUNK;
    struct fuzz_request request = {.what = FUZZ_SEARCH,
                                   .op = (uint32_t)op,
                                   .level = s->hunt->level,
                                   .seed = config->seed,
                                   .chunk = s->next,
                                   .count = FUZZ_CHUNK,
                                   .execute = config->execute,
                                   .seeds = choose_seeds(config, (unsigned)op, s->next, h->seeds)};
    uint64_t stop = config->count ? config->first * FUZZ_CHUNK + config->count : UINT64_MAX;
    if (stop - begin < FUZZ_CHUNK)
        request.count = (uint32_t)(stop - begin);
    s->next += config->shards;
    memset(h->deaths, 0, sizeof h->deaths);
    return fuzz_port_ask(&h->port, &request, h->seeds, s->error);
}

/* ---- what comes back */

static bool is_better(const struct fuzz_rules *rules, const struct fuzz_finding *a, const struct fuzz_finding *b)
{
    struct fuzz_weight wa = fuzz_weigh(rules, &a->desc, a->broken), wb = fuzz_weigh(rules, &b->desc, b->broken);
    if (fuzz_lighter(&wa, &wb) || fuzz_lighter(&wb, &wa))
        return fuzz_lighter(&wa, &wb);
    return a->position < b->position; /* so that it does not matter which chunk came first */
}

static void merge_reject(struct fuzz_tally *tally, const struct fuzz_finding *finding)
{
    for (int i = 0; i < tally->rules.count; i++)
        for (unsigned slots = fuzz_slots(&tally->rules, i, &finding->desc); slots; slots &= slots - 1) {
            struct fuzz_finding **place = &tally->rejects[i][__builtin_ctz(slots)];
            if (!*place && !(*place = calloc(1, sizeof **place)))
                return;
            if (!(*place)->count || is_better(&tally->rules, finding, *place))
                **place = *finding;
        }
}

static void merge(struct fuzz_tally *tally, const struct fuzz_state *state)
{
    fuzz_counts_add(&tally->counts, &state->counts);
    for (int i = 0; i < FUZZ_ATOMS && state->rejecting; i++)
        for (int slot = 0; slot < FUZZ_SLOTS; slot++) {
            tally->accepted[i][slot] += state->limits.accepted[i][slot];
            tally->rejected[i][slot] += state->limits.rejected[i][slot];
        }
    for (uint32_t i = 0; i < state->finding_count; i++) {
        const struct fuzz_finding *finding = &state->findings[i];
        if (finding->verdict == FUZZ_WRONG_REJECT) {
            merge_reject(tally, finding);
            continue;
        }
        struct fuzz_finding *place = &tally->findings[finding->verdict][finding->rule + 1];
        uint64_t count = place->count + finding->count;
        if (!place->count || is_better(&tally->rules, finding, place))
            *place = *finding;
        place->count = count;
    }
}

/* The chunk again from its beginning, to see which description it is that harms the process. */
static int watch(struct search *s, struct hunter *h, const struct fuzz_request *was, const char *harmed)
{
    struct fuzz_request request = *was;
    snprintf(h->harmed, sizeof h->harmed, "%s", harmed);
    request.watch = true;
    request.skip = 0;
    request.avoid = 0;
    request.avoid_legal = false;
    memset(h->deaths, 0, sizeof h->deaths);
    memset(fuzz_port_state(&h->port), 0, sizeof(struct fuzz_state)); /* whatever a device has written there */
    return fuzz_port_ask(&h->port, &request, h->port.seeds, s->error);
}

/* What there was of the chunk is overwritten: which description did it is not known any more. */
static int give_up(struct search *s, const struct fuzz_request *request, const char *how)
{
    struct fuzz_tally *tally = s->hunt->tallies[request->op];
    struct fuzz_finding *place = &tally->findings[FUZZ_CORRUPT][0];
    struct fuzz_finding finding = {
        .verdict = FUZZ_CORRUPT, .rule = -1, .position = request->chunk * FUZZ_CHUNK, .count = place->count + 1};
    finding.desc.op = request->op;
    snprintf(finding.message, sizeof finding.message,
             "wrote over memory of assay; of chunk %" PRIu64 " it is not known where; %.90s", request->chunk, how);
    if (!place->count)
        *place = finding;
    place->count = finding.count;
    s->deaths++;
    return 0;
}

/* It ended before it tried anything. */
static int begin_again(struct search *s, struct hunter *h, const struct fuzz_request *request, const char *how)
{
    if (++h->idle == IDLE_MOST)
        return error_set(s->error, EXIT_HARNESS, "device '%s': its processes end before they try anything: %s",
                         s->hunt->config->device, how);
    return fuzz_port_ask(&h->port, request, h->port.seeds, s->error);
}

/* The description that was being tried has ended the process, or hangs it: that is a finding, and the next one's turn. */
static int charge(struct search *s, struct hunter *h, enum fuzz_verdict verdict)
{
    struct fuzz_request request = h->port.request;
    const struct fuzz_rules *rules = &s->hunt->tallies[request.op]->rules;
    const struct opdesc *seeds = h->port.seeds;
    bool late = verdict == FUZZ_HANG;
    char how[700];
    int result = fuzz_port_replace(&h->port, how, sizeof how, s->error);
    if (result)
        return result;
    if (verdict == FUZZ_HARMED && !request.watch)
        return watch(s, h, &request, how);
    struct fuzz_state *state = fuzz_port_state(&h->port);
    if (!fuzz_check_state(rules, state))
        return request.watch ? give_up(s, &request, how) : watch(s, h, &request, how);
    uint32_t index = atomic_load(&state->index);
    if (index == FUZZ_CHUNK)
        return begin_again(s, h, &request, how);
    h->idle = 0;
    int rule = fuzz_blame(rules, state->broken);
    struct fuzz_finding finding = {.verdict = verdict,
                                   .executed = state->executing,
                                   .data = state->data,
                                   .position = request.chunk * FUZZ_CHUNK + index};
    snprintf(finding.message, sizeof finding.message, "%.199s", late ? fuzz_port_late : how);
    fuzz_counts_take(&state->counts, rules, state->broken, verdict, OUTCOME_NONE);
    fuzz_state_keep(state, rules, &finding, &state->desc, state->broken);
    s->deaths++;
    h->deaths[rule + 1] += late ? FUZZ_CRASHES : 1;
    request.skip = index + 1;
    if (h->deaths[rule + 1] >= FUZZ_CRASHES) {
        request.avoid |= rule >= 0 ? 1ull << rule : 0;
        request.avoid_legal |= rule < 0;
    }
    return fuzz_port_ask(&h->port, &request, seeds, s->error);
}

static bool has_harm(const struct fuzz_state *state)
{
    for (uint32_t i = 0; i < state->finding_count; i++)
        if (state->findings[i].verdict >= FUZZ_CRASH && state->findings[i].verdict <= FUZZ_HARMED)
            return true;
    return false;
}

static int take(struct search *s, struct hunter *h)
{
    struct fuzz_state *state = fuzz_port_state(&h->port);
    struct fuzz_tally *tally = s->hunt->tallies[h->port.request.op];
    if (!fuzz_check_state(&tally->rules, state))
        return h->port.request.watch ? give_up(s, &h->port.request, "and went on")
                                     : watch(s, h, &h->port.request, "memory of assay was written");
    if (*state->harmed && !h->port.request.watch)
        return watch(s, h, &h->port.request, state->harmed);
    if (h->port.request.watch && !has_harm(state)) { /* it did not happen again: then the last one stands for all */
        struct fuzz_finding finding = {.verdict = FUZZ_HARMED,
                                       .position = h->port.request.chunk * FUZZ_CHUNK + h->port.request.count - 1};
        snprintf(finding.message, sizeof finding.message, "%.120s, while this or one before it was tried", h->harmed);
        fuzz_state_keep(state, &tally->rules, &finding, &state->desc, state->broken);
    }
    merge(tally, state);
    s->hunt->tried += state->counts.tried;
    return fuzz_keep(s->hunt, h->port.request.op, state, s->error);
}

static int serve(struct search *s, struct hunter *h)
{
    enum fuzz_port_news news = h->port.busy ? fuzz_port_look(&h->port) : FUZZ_PORT_WORKING;
    if (news == FUZZ_PORT_DONE)
        return take(s, h);
    return news == FUZZ_PORT_WORKING ? 0 : charge(s, h, fuzz_port_verdict(&h->port, news));
}

/* Chunks that are being worked on are done again by who goes on from here. */
static int checkpoint(struct search *s)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    uint64_t now = trial_clock();
    if (!config->checkpoint || now - s->saved < CHECKPOINT_S * 1000000000u)
        return 0;
    s->saved = now;
    s->hunt->elapsed_ns = now - s->started;
    s->hunt->next = s->next;
    for (unsigned i = 0; i < config->jobs; i++)
        if (s->hunters[i].port.busy && s->hunters[i].port.request.chunk < s->hunt->next)
            s->hunt->next = s->hunters[i].port.request.chunk;
    int result = fuzz_group_all(s->hunt, s->error);
    if (result == 0)
        result = config->checkpoint(config->context, s->hunt, s->error);
    fuzz_group_clear(s->hunt);
    return result;
}

static int step(struct search *s, bool *working)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    struct pollfd polls[64];
    int result = 0;
    *working = false;
    for (unsigned i = 0; i < config->jobs && result == 0; i++) {
        struct hunter *h = &s->hunters[i];
        if (!h->port.busy && !is_over(s)) {
            if (h->port.process.pid == 0)
                result = fuzz_port_open(&h->port, s->error);
            if (result == 0)
                result = give(s, h);
        }
        *working |= h->port.busy;
        polls[i] = (struct pollfd){.fd = h->port.busy ? h->port.process.socket : -1, .events = POLLIN};
        if (h->port.process.out_done < h->port.process.out_used)
            polls[i].events |= POLLOUT;
    }
    if (result || !*working)
        return result;
    poll(polls, config->jobs, LOOK_MS);
    for (unsigned i = 0; i < config->jobs && result == 0; i++)
        result = serve(s, &s->hunters[i]);
    if (result == 0)
        result = checkpoint(s);
    if (config->progress)
        config->progress(config->context, s->hunt->tried, trial_clock() - s->started);
    return result;
}

/* ---- the whole */

/* What seeds reach is nothing new. */
static int know_seeds(struct search *s)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    struct fuzz_port *port = &s->hunters[0].port;
    int result = 0;
    for (size_t i = 0; i < config->seed_count && result == 0; i++) {
        const struct fuzz_seed *seed = &config->seeds[i];
        struct fuzz_finding found;
        result = fuzz_keep_seed(s->hunt, seed, s->error);
        if (result || seed->why != FUZZ_SEED_CODE || !s->hunt->tallies[seed->op])
            continue;
        result = fuzz_port_probe(port, &s->hunt->tallies[seed->op]->rules, NULL, &seed->desc, &found, s->error);
        if (result == 0)
            fuzz_keep_edges(s->hunt, fuzz_port_state(port));
    }
    return result;
}

static int prepare(struct search *s)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    size_t specs = (size_t)config->specs->count;
    s->hunters = calloc(config->jobs, sizeof *s->hunters);
    s->hunt->edges = calloc(FUZZ_EDGES / 64, sizeof *s->hunt->edges);
    s->hunt->tallies = calloc(specs, sizeof *s->hunt->tallies);
    if (!s->hunters || !s->hunt->edges || !s->hunt->tallies)
        return error_set(s->error, EXIT_HARNESS, "out of memory");
    for (unsigned i = 0; i < config->jobs; i++) {
        s->hunters[i].port = (struct fuzz_port){.device = config->device,
                                                .specs_folder = config->specs_folder,
                                                .sandbox = config->sandbox,
                                                .timeout_ms = config->timeout_ms,
                                                .process = {.socket = -1}};
    }
    int result = fuzz_port_open(&s->hunters[0].port, s->error);
    if (result)
        return result;
    s->hunt->info = s->hunters[0].port.hello.info;
    s->hunt->level = s->hunt->info.feature_level ? s->hunt->info.feature_level : DML_FEATURE_LEVEL_6_4;
    for (int i = 0; i < config->op_count; i++) {
        struct fuzz_tally *tally = calloc(1, sizeof *tally);
        s->hunt->tallies[config->ops[i]] = tally;
        const struct spec *spec = &config->specs->specs[config->ops[i]];
        if (!tally)
            return error_set(s->error, EXIT_HARNESS, "out of memory");
        if (!fuzz_rules_init(&tally->rules, spec, s->hunt->level))
            return error_set(s->error, EXIT_HARNESS, "%s: more than %d rules or %d conditions", spec->file, FUZZ_RULES,
                             FUZZ_ATOMS);
    }
    return know_seeds(s);
}

static int search(struct search *s)
{
    const struct fuzz_hunt_config *config = s->hunt->config;
    int result = prepare(s);
    bool working = true;
    s->started = s->saved = trial_clock();
    s->next = config->first + (config->shard + config->shards - config->first % config->shards) % config->shards;
    s->last = config->count ? config->first + (config->count + FUZZ_CHUNK - 1) / FUZZ_CHUNK : UINT64_MAX;
    while (result == 0 && working)
        result = step(s, &working);
    s->hunt->elapsed_ns = trial_clock() - s->started;
    s->hunt->next = s->next;
    s->hunt->interrupted = runner_interrupted();
    return result;
}

int fuzz_hunt_run(const struct fuzz_hunt_config *config, struct fuzz_hunt *hunt, struct error *error)
{
    struct search s = {.hunt = hunt, .error = error};
    *hunt = (struct fuzz_hunt){.config = config};
    int result = search(&s);
    if (result == 0)
        result = fuzz_group_all(hunt, error);
    for (size_t i = 0; i < hunt->group_count && result == 0; i++)
        result = fuzz_shrink(hunt, &s.hunters[0].port, &hunt->groups[i], error);
    for (unsigned i = 0; s.hunters && i < config->jobs; i++)
        fuzz_port_close(&s.hunters[i].port);
    free(s.hunters);
    return result;
}

void fuzz_hunt_free(struct fuzz_hunt *hunt)
{
    for (int i = 0; hunt->tallies && i < hunt->config->specs->count; i++) {
        struct fuzz_tally *tally = hunt->tallies[i];
        for (int j = 0; tally && j < FUZZ_ATOMS * FUZZ_SLOTS; j++)
            free(tally->rejects[j / FUZZ_SLOTS][j % FUZZ_SLOTS]);
        free(tally ? tally->kept : NULL);
        free(tally);
    }
    free(hunt->tallies);
    free(hunt->edges);
    free(hunt->groups);
    *hunt = (struct fuzz_hunt){0};
}
