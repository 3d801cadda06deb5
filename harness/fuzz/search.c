#include "harness/fuzz/search.h"

#include "harness/base/clock.h"
#include "harness/fuzz/check_state.h"
#include "harness/fuzz/weigh.h"
#include "harness/run/runner.h"
#include "harness/case/testcase.h"
#include "harness/trial/trial.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 100, DEATHS_MAX = 1000, CHECKPOINT_S = 2, IDLE_MAX = 4 };

/* One worker and its current chunk. */
struct searcher {
    struct fuzz_client client;
    char harmed[200]; /* why the chunk is being watched */
    unsigned idle;    /* processes in a row that ended before they tried anything */
    struct opdesc seeds[FUZZ_CORPUS];
    unsigned deaths[FUZZ_RULES + 1]; /* in this chunk, by the rule to blame + 1 */
};

struct search_loop {
    struct fuzz_search *search;
    struct searcher *searchers;
    uint64_t next, end;      /* chunks: the next to give to a worker; the first that is not searched */
    uint64_t started, saved; /* start of the search, last checkpoint; clock_ns() */
    uint64_t deaths;         /* of all workers */
    struct error *error;
};

/* ---- chunks */

/* Chunks take the operators in turn. Each turn starts with another one, so that every shard gets all operators. */
static int op_of(const struct fuzz_search *search, uint64_t chunk)
{
    uint64_t count = (uint64_t)search->op_count;
    return search->ops[(chunk + chunk / count) % count];
}

static bool search_is_over(const struct search_loop *s)
{
    const struct fuzz_search_config *config = s->search->config;
    uint64_t elapsed = clock_ns() - s->started;
    return s->next >= s->end || runner_interrupted() || s->deaths >= DEATHS_MAX ||
           (config->seconds && elapsed >= config->seconds * 1000000000u);
}

/* Returns the seeds of a chunk: at most FUZZ_CORPUS, other ones in the operator's next chunk. */
static uint32_t choose_seeds(const struct fuzz_search *search, unsigned op, uint64_t chunk,
                             struct opdesc seeds[FUZZ_CORPUS])
{
    const struct fuzz_search_config *config = search->config;
    uint64_t all = 0, seen = 0, from = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < config->seed_count; i++)
        all += config->seeds[i].op == op;
    if (all > FUZZ_CORPUS)
        from = chunk / (uint64_t)search->op_count * FUZZ_CORPUS % all;
    for (size_t i = 0; i < config->seed_count; i++)
        if (config->seeds[i].op == op && (seen++ + all - from) % all < FUZZ_CORPUS)
            seeds[count++] = config->seeds[i].desc;
    return count;
}

static int send_chunk(struct search_loop *s, struct searcher *searcher)
{
    const struct fuzz_search_config *config = s->search->config;
    int op = op_of(s->search, s->next);
    uint64_t begin = s->next * FUZZ_CHUNK;
    struct fuzz_request request = {.what = FUZZ_SEARCH,
                                   .op = (uint32_t)op,
                                   .level = s->search->level,
                                   .seed = config->seed,
                                   .chunk = s->next,
                                   .count = config->chunk ? config->chunk : FUZZ_CHUNK,
                                   .execute = config->execute,
                                   .seeds = choose_seeds(s->search, (unsigned)op, s->next, searcher->seeds)};
    uint64_t stop = config->count ? config->first * FUZZ_CHUNK + config->count : UINT64_MAX;
    if (stop - begin < FUZZ_CHUNK)
        request.count = (uint32_t)(stop - begin);
    s->next += config->shards;
    memset(searcher->deaths, 0, sizeof searcher->deaths);
    return fuzz_client_send(&searcher->client, &request, searcher->seeds, s->error);
}

/* ---- results */

static bool search_is_better(const struct fuzz_rules *rules, const struct fuzz_finding *a, const struct fuzz_finding *b)
{
    struct fuzz_weight wa = fuzz_weigh(rules, &a->desc, a->broken), wb = fuzz_weigh(rules, &b->desc, b->broken);
    if (fuzz_lighter(&wa, &wb) || fuzz_lighter(&wb, &wa))
        return fuzz_lighter(&wa, &wb);
    return a->position < b->position; /* the result must not depend on which chunk ends first */
}

static void merge_reject(struct fuzz_tally *tally, const struct fuzz_finding *finding)
{
    for (int i = 0; i < tally->rules.count; i++)
        for (unsigned slots = fuzz_slots(&tally->rules, i, &finding->desc); slots; slots &= slots - 1) {
            struct fuzz_finding **best = &tally->rejects[i][__builtin_ctz(slots)];
            if (!*best && !(*best = calloc(1, sizeof **best)))
                return;
            if (!(*best)->count || search_is_better(&tally->rules, finding, *best))
                **best = *finding;
        }
}

static void search_merge(struct fuzz_tally *tally, const struct fuzz_state *state)
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
        struct fuzz_finding *best = &tally->findings[finding->verdict][finding->rule + 1];
        uint64_t count = best->count + finding->count;
        if (!best->count || search_is_better(&tally->rules, finding, best))
            *best = *finding;
        best->count = count;
    }
}

/* Runs the chunk again from its beginning, watched, to find the description that harms the process. */
static int rerun_watched(struct search_loop *s, struct searcher *searcher, const struct fuzz_request *was,
                         const char *harmed)
{
    struct fuzz_request request = *was;
    snprintf(searcher->harmed, sizeof searcher->harmed, "%.199s", harmed);
    request.watch = true;
    request.skip = 0;
    request.avoid = 0;
    request.avoid_legal = false;
    memset(searcher->deaths, 0, sizeof searcher->deaths);
    memset(fuzz_client_state(&searcher->client), 0, sizeof(struct fuzz_state)); /* a device may have written there */
    return fuzz_client_send(&searcher->client, &request, searcher->client.seeds, s->error);
}

/* The device overwrote the chunk's state, even while watched: the culprit is not known, and the results of the chunk
 * are lost. */
static int report_lost_chunk(struct search_loop *s, const struct fuzz_request *request, const char *how)
{
    struct fuzz_tally *tally = s->search->tallies[request->op];
    struct fuzz_finding *first = &tally->findings[FUZZ_CORRUPT][0];
    struct fuzz_finding finding = {
        .verdict = FUZZ_CORRUPT, .rule = -1, .position = request->chunk * FUZZ_CHUNK, .count = first->count + 1};
    spec_blank(tally->rules.spec, &finding.desc);
    snprintf(finding.message, sizeof finding.message,
             "wrote over memory of assay, somewhere in chunk %" PRIu64 "; %.90s", request->chunk, how);
    if (!first->count)
        *first = finding;
    first->count = finding.count;
    s->deaths++;
    return 0;
}

/* The process ended before it tried anything: sends the chunk to the next one. */
static int retry_chunk(struct search_loop *s, struct searcher *searcher, const struct fuzz_request *request,
                       const char *how)
{
    if (++searcher->idle == IDLE_MAX)
        return error_set(s->error, EXIT_HARNESS, "device '%s': its processes end before they try any description: %s",
                         s->search->config->device, how);
    return fuzz_client_send(&searcher->client, request, searcher->client.seeds, s->error);
}

/* The description that was being tried killed or hung the process: records the finding and continues after it. */
static int blame_description(struct search_loop *s, struct searcher *searcher, enum fuzz_verdict verdict)
{
    struct fuzz_request request = searcher->client.request;
    const struct fuzz_rules *rules = &s->search->tallies[request.op]->rules;
    const struct opdesc *seeds = searcher->client.seeds;
    bool late = verdict == FUZZ_HANG;
    char how[700];
    int result = fuzz_client_replace(&searcher->client, how, sizeof how, s->error);
    if (result)
        return result;
    if (verdict == FUZZ_HARMED && !request.watch)
        return rerun_watched(s, searcher, &request, how);
    struct fuzz_state *state = fuzz_client_state(&searcher->client);
    if (!fuzz_check_state(rules, state))
        return request.watch ? report_lost_chunk(s, &request, how) : rerun_watched(s, searcher, &request, how);
    uint32_t index = atomic_load(&state->index);
    if (index == FUZZ_CHUNK)
        return retry_chunk(s, searcher, &request, how);
    searcher->idle = 0;
    int rule = fuzz_blame(rules, state->broken);
    struct fuzz_finding finding = {.verdict = verdict,
                                   .executed = state->executing,
                                   .data = state->data,
                                   .position = request.chunk * FUZZ_CHUNK + index};
    snprintf(finding.message, sizeof finding.message, "%.199s", late ? fuzz_client_timeout_message : how);
    fuzz_counts_record(&state->counts, rules, state->broken, verdict, OUTCOME_NONE);
    fuzz_state_keep(state, rules, &finding, fuzz_state_tried(state, index), state->broken);
    s->deaths++;
    searcher->deaths[rule + 1] += late ? FUZZ_CRASHES : 1;
    request.skip = index + 1;
    if (searcher->deaths[rule + 1] >= FUZZ_CRASHES) {
        request.avoid |= rule >= 0 ? 1ull << rule : 0;
        request.avoid_legal |= rule < 0;
    }
    return fuzz_client_send(&searcher->client, &request, seeds, s->error);
}

static bool has_harm(const struct fuzz_state *state)
{
    for (uint32_t i = 0; i < state->finding_count; i++)
        if (state->findings[i].verdict >= FUZZ_CRASH && state->findings[i].verdict <= FUZZ_HARMED)
            return true;
    return false;
}

static int take_results(struct search_loop *s, struct searcher *searcher)
{
    struct fuzz_state *state = fuzz_client_state(&searcher->client);
    struct fuzz_tally *tally = s->search->tallies[searcher->client.request.op];
    if (!fuzz_check_state(&tally->rules, state))
        return searcher->client.request.watch
                   ? report_lost_chunk(s, &searcher->client.request, "and went on")
                   : rerun_watched(s, searcher, &searcher->client.request, "memory of assay was written");
    if (*state->harmed && !searcher->client.request.watch)
        return rerun_watched(s, searcher, &searcher->client.request, state->harmed);
    const uint32_t index = atomic_load(&state->index);
    /* If it did not happen again, the description that was tried last is to blame. */
    if (searcher->client.request.watch && !has_harm(state) && index < FUZZ_CHUNK) {
        struct fuzz_finding finding = {.verdict = FUZZ_HARMED,
                                       .position = searcher->client.request.chunk * FUZZ_CHUNK + index};
        snprintf(finding.message, sizeof finding.message, "%.120s, while this or one before it was tried",
                 searcher->harmed);
        fuzz_state_keep(state, &tally->rules, &finding, fuzz_state_tried(state, index), state->broken);
    }
    search_merge(tally, state);
    s->search->tried += state->counts.tried;
    return fuzz_corpus_add(s->search, searcher->client.request.op, state, s->error);
}

static int search_serve(struct search_loop *s, struct searcher *searcher)
{
    enum fuzz_client_event event = searcher->client.busy ? fuzz_client_poll(&searcher->client) : FUZZ_CLIENT_WORKING;
    if (event == FUZZ_CLIENT_DONE)
        return take_results(s, searcher);
    return event == FUZZ_CLIENT_WORKING ? 0
                                        : blame_description(s, searcher, fuzz_client_verdict(&searcher->client, event));
}

/* A search that continues from the checkpoint repeats the chunks that are in progress. */
static int checkpoint(struct search_loop *s)
{
    const struct fuzz_search_config *config = s->search->config;
    uint64_t now = clock_ns();
    if (!config->checkpoint || now - s->saved < CHECKPOINT_S * 1000000000u)
        return 0;
    s->saved = now;
    s->search->elapsed_ns = now - s->started;
    s->search->next = s->next;
    for (unsigned i = 0; i < config->jobs; i++)
        if (s->searchers[i].client.busy && s->searchers[i].client.request.chunk < s->search->next)
            s->search->next = s->searchers[i].client.request.chunk;
    int result = fuzz_group_all(s->search, s->error);
    if (result == 0)
        result = config->checkpoint(config->context, s->search, s->error);
    fuzz_group_clear(s->search);
    return result;
}

static int search_step(struct search_loop *s, bool *working)
{
    const struct fuzz_search_config *config = s->search->config;
    struct pollfd polls[64];
    int result = 0;
    *working = false;
    for (unsigned i = 0; i < config->jobs && result == 0; i++) {
        struct searcher *searcher = &s->searchers[i];
        if (!searcher->client.busy && !search_is_over(s)) {
            if (searcher->client.process.pid == 0)
                result = fuzz_client_open(&searcher->client, s->error);
            if (result == 0)
                result = send_chunk(s, searcher);
        }
        *working |= searcher->client.busy;
        polls[i] =
            (struct pollfd){.fd = searcher->client.busy ? searcher->client.process.socket : -1, .events = POLLIN};
        if (searcher->client.process.out_done < searcher->client.process.out_used)
            polls[i].events |= POLLOUT;
    }
    if (result || !*working)
        return result;
    poll(polls, config->jobs, POLL_MS);
    for (unsigned i = 0; i < config->jobs && result == 0; i++)
        result = search_serve(s, &s->searchers[i]);
    if (result == 0)
        result = checkpoint(s);
    if (config->progress)
        config->progress(config->context, s->search->tried, clock_ns() - s->started);
    return result;
}

/* ---- the search */

/* Adds the seeds to the corpus. The places that they reach are then not new. */
static int add_seeds(struct search_loop *s)
{
    const struct fuzz_search_config *config = s->search->config;
    struct fuzz_client *client = &s->searchers[0].client;
    int result = 0;
    for (size_t i = 0; i < config->seed_count && result == 0; i++) {
        const struct fuzz_seed *seed = &config->seeds[i];
        struct fuzz_finding found;
        result = fuzz_corpus_add_seed(s->search, seed, s->error);
        if (result || seed->why != FUZZ_SEED_CODE || !s->search->tallies[seed->op])
            continue;
        result = fuzz_client_probe(client, &s->search->tallies[seed->op]->rules, NULL, &seed->desc, &found, s->error);
        if (result == 0)
            fuzz_corpus_add_edges(s->search, fuzz_client_state(client));
    }
    return result;
}

static int search_prepare(struct search_loop *s)
{
    const struct fuzz_search_config *config = s->search->config;
    size_t specs = (size_t)config->specs->count;
    s->searchers = calloc(config->jobs, sizeof *s->searchers);
    s->search->edges = calloc(FUZZ_EDGES / 64, sizeof *s->search->edges);
    s->search->tallies = calloc(specs, sizeof *s->search->tallies);
    if (!s->searchers || !s->search->edges || !s->search->tallies)
        return error_set(s->error, EXIT_HARNESS, "out of memory");
    for (unsigned i = 0; i < config->jobs; i++) {
        s->searchers[i].client = (struct fuzz_client){.device = config->device,
                                                      .specs_folder = config->specs_folder,
                                                      .specs = config->specs,
                                                      .sandbox = config->sandbox,
                                                      .half = config->half,
                                                      .timeout_ms = config->timeout_ms,
                                                      .process = {.socket = -1}};
    }
    int result = fuzz_client_open(&s->searchers[0].client, s->error);
    if (result)
        return result;
    s->search->info = s->searchers[0].client.hello.info;
    s->search->level = s->search->info.feature_level ? s->search->info.feature_level : DML_FEATURE_LEVEL_6_4;
    for (int i = 0; i < config->op_count; i++) {
        const struct spec *spec = &config->specs->specs[config->ops[i]];
        if (is_denied(&s->searchers[0].client.hello.denied, (uint32_t)spec->type))
            continue;
        struct fuzz_tally *tally = calloc(1, sizeof *tally);
        s->search->ops[s->search->op_count++] = config->ops[i];
        s->search->tallies[config->ops[i]] = tally;
        if (!tally)
            return error_set(s->error, EXIT_HARNESS, "out of memory");
        if (!fuzz_rules_init(&tally->rules, spec, s->search->level))
            return error_set(s->error, EXIT_HARNESS, "%s: more than %d rules or %d conditions", spec->file, FUZZ_RULES,
                             FUZZ_ATOMS);
    }
    return add_seeds(s);
}

static int search_all(struct search_loop *s)
{
    const struct fuzz_search_config *config = s->search->config;
    int result = search_prepare(s);
    bool working = s->search->op_count > 0;
    s->started = s->saved = clock_ns();
    s->next = config->first + (config->shard + config->shards - config->first % config->shards) % config->shards;
    s->end = config->count ? config->first + (config->count + FUZZ_CHUNK - 1) / FUZZ_CHUNK : UINT64_MAX;
    while (result == 0 && working)
        result = search_step(s, &working);
    s->search->elapsed_ns = clock_ns() - s->started;
    s->search->next = s->next;
    s->search->interrupted = runner_interrupted();
    return result;
}

int fuzz_search_run(const struct fuzz_search_config *config, struct fuzz_search *search, struct error *error)
{
    struct search_loop s = {.search = search, .error = error};
    *search = (struct fuzz_search){.config = config};
    int result = search_all(&s);
    if (result == 0)
        result = fuzz_group_all(search, error);
    for (size_t i = 0; i < search->group_count && result == 0; i++)
        result = fuzz_shrink(search, &s.searchers[0].client, &search->groups[i], error);
    for (unsigned i = 0; s.searchers && i < config->jobs; i++)
        fuzz_client_close(&s.searchers[i].client);
    free(s.searchers);
    return result;
}

void fuzz_search_free(struct fuzz_search *search)
{
    for (int i = 0; search->tallies && i < search->config->specs->count; i++) {
        struct fuzz_tally *tally = search->tallies[i];
        for (int j = 0; tally && j < FUZZ_ATOMS * FUZZ_SLOTS; j++)
            free(tally->rejects[j / FUZZ_SLOTS][j % FUZZ_SLOTS]);
        free(tally ? tally->kept : NULL);
        free(tally);
    }
    free(search->tallies);
    free(search->edges);
    free(search->groups);
    *search = (struct fuzz_search){0};
}
