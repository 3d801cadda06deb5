/* Tries descriptions one by one: given ones, or those of a database. */
#include "harness/cli/cmd_fuzz.h"

#include "harness/fuzz/fuzz_judge.h"
#include "harness/describe/desc_text.h"
#include "harness/run/runner.h"

#include <stdlib.h>

struct prober {
    const struct fuzz_search_config *config;
    struct fuzz_client client;
    DML_FEATURE_LEVEL level;
    bool json;
    size_t kept, failures;
};

/* Tries one description and prints it; `quiet`: only if it is a finding. */
static int fuzz_probe_description(struct prober *p, const struct opdesc *desc, const struct fuzz_data *data, bool quiet,
                                  struct error *error)
{
    struct fuzz_finding found;
    struct fuzz_rules rules;
    if (!fuzz_rules_init(&rules, &p->config->specs->specs[desc->op], p->level))
        return error_set(error, EXIT_HARNESS, "the operator has too many rules");
    int result = fuzz_client_probe(&p->client, &rules, data, desc, &found, error);
    if (result)
        return result;
    found.broken = fuzz_judge(&rules, desc);
    bool failed = fuzz_is_finding(found.verdict) &&
                  (found.verdict != FUZZ_WRONG_ACCEPT || (found.broken & ~rules.open & ~rules.soft));
    p->failures += failed;
    if (quiet && !fuzz_is_finding(found.verdict))
        return 0;
    if (p->json)
        cmd_fuzz_print_probe_json(stdout, &rules, desc, &found, failed);
    else
        cmd_fuzz_print_probe(stdout, &rules, desc, &found);
    return 0;
}

static int probe_texts(struct prober *p, const struct word_list *texts, const struct fuzz_data *data,
                       struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < texts->count && result == 0 && !runner_interrupted(); i++) {
        struct opdesc desc;
        result = desc_text_parse(p->config->specs, texts->items[i], &desc, error);
        if (result == 0)
            result = fuzz_probe_description(p, &desc, p->config->execute ? data : NULL, false, error);
    }
    return result;
}

static int probe_past(struct prober *p, bool verbose, struct error *error)
{
    int result = p->config->seed_count ? 0 : error_set(error, EXIT_NO_MATCH, "the database has no descriptions");
    for (size_t i = 0; i < p->config->seed_count && result == 0 && !runner_interrupted(); i++) {
        const struct fuzz_seed *seed = &p->config->seeds[i];
        bool kept = seed->why != FUZZ_SEED_FINDING;
        p->kept += kept;
        result = fuzz_probe_description(p, &seed->desc, seed->executed ? &seed->data : NULL, kept && !verbose, error);
    }
    if (result == 0 && !p->json)
        printf("%zu findings and %zu kept descriptions tried again: %zu failures\n", p->config->seed_count - p->kept,
               p->kept, p->failures);
    return result;
}

int cmd_fuzz_probe(const struct fuzz_search_config *config, const struct word_list *texts, const struct fuzz_data *data,
                   bool json, bool verbose, struct error *error)
{
    struct prober p = {.config = config,
                       .client = {.device = config->device,
                                  .specs_folder = config->specs_folder,
                                  .specs = config->specs,
                                  .sandbox = config->sandbox,
                                  .timeout_ms = config->timeout_ms,
                                  .process = {.socket = -1}},
                       .json = json};
    int result = fuzz_client_open(&p.client, error);
    if (result)
        return result;
    p.level = p.client.hello.info.feature_level ? p.client.hello.info.feature_level : DML_FEATURE_LEVEL_6_4;
    result = texts->count ? probe_texts(&p, texts, data, error) : probe_past(&p, verbose, error);
    fuzz_client_close(&p.client);
    if (result)
        return result;
    if (runner_interrupted())
        return EXIT_INCOMPLETE;
    return p.failures ? EXIT_FAILURES : 0;
}
