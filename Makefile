# assay: see `make help`. V=1 shows the commands; VARIANT=debug|asan|ubsan|coverage builds in build/<variant>/.

VARIANT ?= release
CC      ?= cc
PREFIX  ?= /usr/local
PYTHON  ?= python3

ifeq ($(VARIANT),release)
B := build
else
B := build/$(VARIANT)
endif

WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wwrite-strings -Wundef -Werror
OPT_release  := -O2 -g
OPT_debug    := -O0 -g3
OPT_asan     := -O1 -g -fsanitize=address -fno-omit-frame-pointer
OPT_ubsan    := -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
OPT_coverage := -O0 -g --coverage
OPT := $(OPT_$(VARIANT))
ifeq ($(OPT),)
$(error unknown VARIANT "$(VARIANT)": release, debug, asan, ubsan or coverage)
endif

CFLAGS  := -std=c11 -D_GNU_SOURCE $(WARN) $(OPT) -ffp-contract=off -I. $(EXTRA_CFLAGS)
LDFLAGS := $(filter -fsanitize% --coverage,$(OPT)) $(EXTRA_LDFLAGS)
Q := $(if $(V),,@)
