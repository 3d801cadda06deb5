#include "harness/trial/link.h"

#include "harness/describe/marshal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAP_SIZE = 16 << 20, PAGE = PLACE_PAGE };

/* These addresses are far from those of programs, libraries, stacks and sanitizers; the last ones are for small address
 * spaces. */
static const struct {
    uint64_t base, size;
} ranges[] = {{1ull << 45, 1ull << 38}, {1ull << 45, (uint64_t)LINK_LEAST_GIB << 30}, {1ull << 37, 1ull << 36}};

size_t link_exchange_size(void)
{
    return (sizeof(struct exchange) + HEAP_SIZE + PAGE - 1) / PAGE * PAGE;
}

/* Returns false if the device's process is gone. */
static bool send_request(const struct link *link, const struct host_request *request, int file)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)request, sizeof *request};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file)};
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    return TEMP_FAILURE_RETRY(sendmsg(link->socket, &message, MSG_NOSIGNAL)) == (ssize_t)sizeof *request;
}

bool link_open(struct link *link, int exchange_file)
{
    const size_t size = link_exchange_size();
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        void *base = (void *)(uintptr_t)ranges[i].base;
        void *got = mmap(base, ranges[i].size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != MAP_FAILED && got != base) /* an old kernel took the address as a hint */
            munmap(got, ranges[i].size);
        if (got != base)
            continue;
        if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, exchange_file, 0) != base)
            return false;
        link->exchange = base;
        link->rest = (uint8_t *)base + size;
        link->rest_size = ranges[i].size - size;
        const struct host_request request = {
            .call = HOST_RESERVE, .address = ranges[i].base, .size = ranges[i].size, .exchange_size = size};
        return send_request(link, &request, exchange_file);
    }
    return false;
}

/* ---- memory */

static bool link_map(void *context, int file, uint8_t *address, uint64_t size, uint64_t step, uint32_t count,
                     bool input)
{
    const struct host_request request = {.call = HOST_MAP,
                                         .count = count,
                                         .writable = !input,
                                         .address = (uintptr_t)address,
                                         .size = size,
                                         .step = step};
    return send_request(context, &request, file);
}

static void link_unmap(void *context, uint8_t *address, uint64_t size)
{
    const struct host_request request = {.call = HOST_UNMAP, .address = (uintptr_t)address, .size = size};
    send_request(context, &request, -1);
}

struct arena_sharing link_sharing(struct link *link)
{
    return (struct arena_sharing){
        .base = link->rest, .size = link->rest_size, .map = link_map, .unmap = link_unmap, .context = link};
}

void *link_take(struct link *link, size_t size)
{
    size = (size + 15) / 16 * 16;
    if (size > HEAP_SIZE - link->heap_used)
        return NULL;
    void *memory = link->exchange->heap + link->heap_used;
    link->heap_used += size;
    return memory;
}

void link_clear(struct link *link)
{
    link->heap_used = 0;
}

/* The device's process overwrites this memory once the operator is made, so the memory is no larger than it must be. */
bool link_describe(struct link *link, const struct spec *spec, const struct opdesc *desc, DML_EXECUTION_FLAGS flags,
                   struct exchange_creation *out)
{
    const size_t marshalled = (marshal_size(spec, desc) + 15) / 16 * 16, size = marshalled + desc->size;
    struct marshal *marshal = link_take(link, size);
    if (!marshal)
        return false;
    struct opdesc *copy = (struct opdesc *)((char *)marshal + marshalled);
    opdesc_copy(copy, desc);
    marshal_desc(spec, copy, marshal);
    *out = (struct exchange_creation){.desc = &marshal->op, .flags = flags, .memory = marshal, .size = size};
    return true;
}

/* ---- requests */

void link_send(struct link *link, enum host_call call, uint32_t count, bool check)
{
    const struct host_request request = {.call = call, .count = count, .check = check, .serial = ++link->serial};
    link->checking = check;
    if (!send_request(link, &request, -1))
        link->gone(link->context);
}

static void link_wait_for(struct link *link, bool checked)
{
    struct host_answer answer;
    ssize_t got = TEMP_FAILURE_RETRY(recv(link->socket, &answer, sizeof answer, MSG_TRUNC));
    if (got <= 0)
        link->gone(link->context);
    if (got != (ssize_t)sizeof answer || answer.serial != link->serial || answer.checked != checked)
        link->forged(link->context);
}

void link_wait(struct link *link)
{
    link_wait_for(link, false);
}

void link_wait_check(struct link *link)
{
    if (link->checking)
        link_wait_for(link, true);
    link->checking = false;
}

void link_wait_end(struct link *link)
{
    char byte;
    while (TEMP_FAILURE_RETRY(recv(link->socket, &byte, sizeof byte, 0)) > 0)
        ;
}
