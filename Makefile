# assay: see `make help`. V=1 shows the commands; VARIANT=debug|sanitize|coverage|arm64 builds in build/<variant>/;
# CC=clang builds with clang. If the compiler or its flags change, everything is rebuilt.

VERSION := 0.1.0
VARIANT ?= release
PREFIX  ?= /usr/local
SHARD   ?=
LUA     ?= lua5.4
DB      ?= results.db
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
ifeq ($(origin CC),default)
CC := $(if $(filter arm64,$(VARIANT)),aarch64-linux-gnu-gcc,cc)
endif

ifeq ($(VARIANT),release)
B ?= build
else
B ?= build/$(VARIANT)
endif
G := build# shared by all variants: shaders, generated headers
ONNX := $(G)/onnxruntime# ONNX Runtime's headers and library, fetched
UPLOT := $(G)/npm/uplot-1.6.32.tgz# draws the dashboard's charts, fetched

WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wwrite-strings -Wundef \
  -Werror
OPT_release  := -O2 -g
OPT_debug    := -O0 -g3
OPT_arm64    := $(OPT_release)
# Sanitizers for addresses and undefined behaviour. With gcc, the latter cause false warnings of -Wconversion.
OPT_sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer \
  -DASSAY_SANITIZED $(if $(findstring clang,$(CC)),,-Wno-conversion)
# Workers write coverage data when they end, so their sandbox must allow it.
OPT_coverage := -O0 -g --coverage -DSANDBOX_COVERAGE='"$(abspath $(B))"'
OPT := $(OPT_$(VARIANT))
ifeq ($(OPT),)
$(error unknown VARIANT "$(VARIANT)": release, debug, sanitize, coverage or arm64)
endif

# Objects of the harness and of the devices go into programs and shared libraries alike.
CFLAGS  := -std=c11 -D_GNU_SOURCE $(WARN) $(OPT) -ffp-contract=off -fPIC -fvisibility=hidden -I. -I$(G) \
  -DASSAY_VERSION='"$(VERSION)"' $(EXTRA_CFLAGS)
LDFLAGS := -Wl,--build-id $(filter -fsanitize% --coverage,$(OPT)) $(EXTRA_LDFLAGS)
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-5s %s\n' $(1) $(2))

# make evaluates these once, and only to compile: before `make deps` there may be no pkg-config.
LINKED := lua5.4 sqlite3 jansson libseccomp minizip zlib liblz4
PKG_CONFIG := $(if $(filter arm64,$(VARIANT)),PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig )pkg-config
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags libxxhash $(LINKED)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(LINKED)))$(PKG_LIBS)

# ---- what to build

HARNESS_OBJ   := $(patsubst %.c,$(B)/%.o,\
  $(sort $(filter-out harness/test/% harness/host/main.c,$(wildcard harness/*/*.c))))
# The device's process. It contains no specs, no cases, no reference device and no judge.
HOST_OBJ      := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard harness/host/*.c))) \
  $(addprefix $(B)/harness/base/,dml_names.o error.o text.o)
COMMON_OBJ    := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard device/common/*.c)))
# The reference device is also part of the program.
REFERENCE_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard device/reference/*.c))) $(COMMON_OBJ)
# The folders test/, common/ (shared code) and template/ (to copy) of device/ are no devices. onnxruntime/ needs the
# files that `make onnxruntime` fetches, directml/ the headers of Direct3D 12.
DIRECTX       := $(patsubst %/directx/d3d12.h,%,$(firstword $(wildcard /usr/include/directx/d3d12.h \
  /usr/local/include/directx/d3d12.h)))
# The stand-in for the libraries that the device directml loads.
STANDIN       := $(if $(DIRECTX),$(B)/standin/libd3d12.so)
DEVICES       := $(filter-out test template common $(if $(wildcard $(ONNX)/versions),,onnxruntime) \
  $(if $(DIRECTX),,directml),\
  $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard device/*/*.c))))))
DEVICE_LIBS   := $(DEVICES:%=$(B)/devices/%.so)
EXPECTED      := $(patsubst device/%/expected,$(B)/devices/%.expected,$(wildcard device/*/expected))
GENERATED     := $(sort \
  $(shell sed -n 's|^\#include "\(generated/.*\.h\)".*|$(G)/\1|p' harness/*/*.c device/common/*.c))
SHADERS       := $(shell sed -n 's|^\#include "\(shaders/.*\.spv\.h\)".*|$(G)/\1|p' device/vulkan/*.c 2>/dev/null)
TEST_BIN      := $(patsubst %.c,$(B)/test/%,$(notdir $(sort $(wildcard */test/test_*.c))))
BENCH_BIN     := $(patsubst %.c,$(B)/test/%,$(notdir $(sort $(wildcard */test/bench_*.c))))
# Fuzz targets, linked with a main program that replays files; `make fuzzers` links them with a fuzzer.
FUZZ_TARGETS  := $(patsubst tools/fuzz/fuzz_%.c,%,$(sort $(wildcard tools/fuzz/fuzz_*.c)))
REPLAY_BIN    := $(FUZZ_TARGETS:%=$(B)/test/replay_%)
# This test replaces a function of the C library, which would replace it for all tests of the common program.
ALONE_BIN     := $(B)/test/test_explain_time
TEST_SCRIPT   := $(sort $(wildcard */test/*.sh */test/test_*.lua))
LONG_TESTS    := $(sort $(wildcard */test/long/*.sh))
CLUSTER_TESTS := $(sort $(wildcard tools/test/cluster/*.sh))
# The tests that take more than ten seconds of processor time (build/test/times has them) are first, the longest ones
# before the others, so that none of them runs alone at the end. The browsers have a time limit, so they do not meet.
LONGEST       := device/test/test_lavapipe.sh tools/test/test_docs.lua harness/test/test_fuzz.sh \
  reports/test/test_dashboard.sh harness/test/test_lifecycle.sh $(B)/test/test_plan \
  $(B)/test/test_mistakes device/test/test_reference_cases.sh $(B)/test/test_trial \
  reports/test/test_dashboard_firefox.sh harness/test/test_causes.sh $(B)/test/test_in_place \
  harness/test/test_legal.sh harness/test/test_export.sh harness/test/test_half.sh tools/test/ci.sh \
  $(B)/test/test_vulkan harness/test/test_in_place.sh harness/test/test_report.sh harness/test/test_story.sh \
  $(B)/test/test_plan_cache $(B)/test/test_attack_scripts tools/test/mutation.sh
TESTS         ?= $(filter $(TEST_SCRIPT) $(TEST_BIN),$(LONGEST)) $(filter-out $(LONGEST),$(TEST_SCRIPT) $(TEST_BIN))
ASSAY         := $(B)/assay

# Libraries and objects that a device needs besides its own folder and device/common/.
LIBS_vulkan := -ldl -lpthread
LIBS_reference := -lpthread
# The mutants use the specs, their rules and formulas, so they link the harness.
EXTRA_mutants := $(B)/harness/harness.a
CFLAGS_mutants = $(PKG_CFLAGS)
LIBS_mutants = $(PKG_LIBS)
LIBS_bridge := -ljansson
# -O3 uses vectors for loops over rows of elements, and inlines the small functions in which a search spends its time.
FAST := $(if $(filter release arm64,$(VARIANT)),-O3)
CFLAGS_reference := $(FAST)
CFLAGS_common := $(FAST)
CFLAGS_fuzz := $(FAST)
CFLAGS_spec := $(FAST)
CFLAGS_describe := $(FAST)
CFLAGS_formula := $(FAST)
CFLAGS_check := $(FAST)
CFLAGS_solve := $(FAST)
CFLAGS_load := $(FAST)
CFLAGS_onnxruntime := -isystem $(ONNX)/include
CFLAGS_directml := -isystem $(DIRECTX)/wsl/stubs -isystem $(DIRECTX)/directx
CFLAGS_standin := $(CFLAGS_directml)
CFLAGS_limits := -O3# loops as fast as a compiler makes them

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all run check check-long tests test-run fuzzers fuzz-pack deps deps-tests onnxruntime third-parties \
  onnx-vectors validation sanitize mutation bench cluster check-cluster \
  install uninstall dist deb check-bare help lint format clean FORCE
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif

BUILT := $(ASSAY) $(B)/assay-device $(B)/plan $(B)/compiled-specs $(DEVICE_LIBS) $(EXPECTED)
all: $(BUILT) ## build assay and the devices: build/assay, build/devices/*.so

# The compiler's command line: if it changes, everything is rebuilt.
$(B)/flags: FORCE
	@mkdir -p $(B)
	@printf '%s\n' '$(subst ','"'"',$(CC) $(CFLAGS) $(LDFLAGS))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','"'"',$(CC) $(CFLAGS) $(LDFLAGS))' >$@

$(B)/harness/%.o: harness/%.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_$(notdir $(@D))) -DXXH_INLINE_ALL $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

# The same object is part of the shared library and of programs that link the device statically.
$(B)/device/%.o: device/%.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_$(notdir $(@D))) -MMD -MP -c -o $@ $<

# A number for this build of the harness: its cached files (base/cachekey.h) are valid for this build alone.
$(B)/harness/build.o: $(filter-out $(B)/harness/cli/main.o,$(HARNESS_OBJ))
	$(call say,GEN,$@)
	$(Q)printf '#include "harness/base/cachekey.h"\nconst uint64_t cachekey_build = 0x%s;\n' \
	  $$(cat $^ | sha1sum | cut -c 1-16) | \
	$(CC) $(CFLAGS) -x c -c -o $@ -

# The exported symbol is for devices built with code coverage: they report their counters to it.
$(B)/assay: $(HARNESS_OBJ) $(B)/harness/build.o $(REFERENCE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -Wl,--export-dynamic-symbol=__sanitizer_cov_8bit_counters_init -o $@ $^ $(PKG_LIBS) \
	  -ldl -lm -lpthread

# The program exports only the symbol for code coverage, so a device loads its own copy of everything else. Nearly every
# device needs libm, so a process loads it while it waits for its device.
$(B)/assay-device: $(HOST_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -Wl,--export-dynamic-symbol=__sanitizer_cov_8bit_counters_init -o $@ $^ -ldl \
	  -Wl,--no-as-needed -lm

# The compiled specs, and the plan of all cases. The program uses them as long as specs and strategies are unchanged.
$(B)/plan $(B)/compiled-specs &: $(B)/assay $(wildcard specs/*.lua cases/*.lua cases/*.json)
	$(call say,PLAN,$@)
	$(Q)$(B)/assay plan-cache --no-config $(B)/compiled-specs $(B)/plan

$(B)/harness/harness.a: $(filter-out $(B)/harness/cli/main.o,$(HARNESS_OBJ)) $(B)/harness/build.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/device/common/common.a: $(COMMON_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

define DEVICE_RULE
$(B)/devices/$(1).so: $(patsubst %.c,$(B)/%.o,$(sort $(wildcard device/$(1)/*.c))) \
  $(B)/device/common/common.a $$(EXTRA_$(1))
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -shared -o $$@ $$^ $$(LIBS_$(1)) -ldl -lm
endef
$(foreach device,$(DEVICES),$(eval $(call DEVICE_RULE,$(device))))

# The device onnxruntime loads this library at run time.
$(B)/devices/onnxruntime.so: | $(B)/devices/libonnxruntime.so.1
$(B)/devices/libonnxruntime.so.1: $(ONNX)/versions
	@mkdir -p $(@D)
	@ln -sf $(abspath $(ONNX)/lib/$(@F)) $@

# A device's known failures are copied beside its library.
$(B)/devices/%.expected: device/%/expected
	@mkdir -p $(@D)
	$(Q)cp $< $@

# ---- generated: SQL, Lua and C as strings NAME_sql, NAME_lua and NAME_inc, names of operators, shaders as arrays

$(G)/generated/%.h: reports/%.sql tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed $*_sql $< >$@
$(G)/generated/%.lua.h: harness/%.lua tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed $(subst /,_,$*)_lua $< >$@
$(G)/generated/%.inc.h: harness/%.inc tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed $(notdir $*)_inc $< >$@
$(G)/generated/complete.%.h: harness/cli/complete.% tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed complete_$* $< >$@
$(G)/generated/dml_operators.h: device/dml.h specs/catalogue.lua tools/operatorsc.lua
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(LUA) tools/operatorsc.lua $< specs/catalogue.lua >$@
$(G)/generated/catalogue.h: specs/catalogue.lua tools/cataloguec.lua
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(LUA) tools/cataloguec.lua $< >$@
$(G)/generated/dashboard_data.h: reports/dashboard/data.sql tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/embed dashboard_data_sql $< >$@
$(G)/generated/dashboard.h: $(wildcard reports/dashboard/*) $(UPLOT) tools/dashboard tools/embed
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/dashboard $(UPLOT) >$@
$(UPLOT):
	@tools/npm $(@D) $(subst uplot-,uplot@,$(basename $(@F))) || \
	{ echo "without it, the dashboard has no charts; to try again: rm $@"; : >$@; }
# These files must exist before the first compilation; after that, the dependency files list their users.
$(HARNESS_OBJ) $(HOST_OBJ) $(COMMON_OBJ): | $(GENERATED)

$(G)/shaders/operators.glsl: device/dml.h Makefile
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sed -n 's/^ *DML_OPERATOR_\([A-Z0-9_]*\) = \([0-9]*\),.*/#define \1 \2/p' $< >$@
$(SHADERS): $(wildcard device/vulkan/shaders/*) $(G)/shaders/operators.glsl tools/shader
	$(call say,GLSL,$(@F:.spv.h=))
	$(Q)tools/shader $@
$(patsubst %.c,$(B)/%.o,$(wildcard device/vulkan/*.c)): | $(SHADERS)

# ---- tests

tests: $(TEST_BIN) $(REPLAY_BIN) $(BENCH_BIN:=.o) $(B)/hostile.so $(STANDIN)
tests: $(B)/few/build/plan ## build the test programs
# A copy of the program with few operators, for tests that run or alter everything.
$(B)/few/build/plan: tools/few tools/thin.lua $(B)/assay $(B)/assay-device \
  $(wildcard specs/*.lua cases/*.lua cases/*.json)
	$(call say,PLAN,$@)
	$(Q)tools/few $(B) $(B)/few

# Hostile devices, which try to pass without computing. They are not installed.
HOSTILE_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard device/mutants/hostile/*.c))) $(B)/harness/worker/wire.o
$(B)/hostile.so: $(HOSTILE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $^ -ldl -lpthread

# The libraries that the device directml loads under WSL 2: three names of one stand-in, over the reference device.
$(B)/standin/libd3d12.so: $(patsubst %.c,$(B)/%.o,$(sort $(wildcard device/test/standin/*.c))) $(REFERENCE_OBJ)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LIBS_reference) -ldl -lm
	@ln -sf $(@F) $(@D)/libdxcore.so && ln -sf $(@F) $(@D)/libdirectml.so

$(B)/test/%.o: harness/test/%.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -DXXH_INLINE_ALL $(PKG_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/test/%.o: device/test/%.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_$*) -MMD -MP -c -o $@ $<
$(B)/test/replay_%.o: tools/fuzz/replay.c tools/fuzz/fuzz_%.c $(B)/flags
	$(call say,CC,$(@F:.o=.c))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -DXXH_INLINE_ALL $(PKG_CFLAGS) -MMD -MP -Wno-address -include tools/fuzz/fuzz_$*.c \
	  -c -o $@ $<

# One executable contains all tests and replays, since each would link the whole harness. A link with the name of a test
# starts that test; tools/programs.c has the table. Functions that several tests define become local: those of fuzz
# targets, and the bridge's descriptions.
PROGRAMS := $(notdir $(filter-out $(ALONE_BIN),$(TEST_BIN)) $(REPLAY_BIN))
$(PROGRAMS:%=$(B)/test/%.part.o): $(B)/test/%.part.o: $(B)/test/%.o
	$(Q)objcopy --wildcard --redefine-sym main=$*_main --localize-symbol='LLVMFuzzer*' \
	  --localize-symbol='describe_*' $< $@
$(B)/test/programs.o: tools/programs.c Makefile $(B)/flags $(PROGRAMS:%=$(B)/test/%.o)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) -DPROGRAMS='$(patsubst %,PROGRAM(%),$(PROGRAMS))' -c -o $@ $<
$(B)/test/programs: $(B)/test/programs.o $(PROGRAMS:%=$(B)/test/%.part.o) $(B)/tools/folder.o \
  $(filter-out $(B)/harness/cli/main.o,$(HARNESS_OBJ)) $(B)/harness/build.o $(REFERENCE_OBJ) \
  $(patsubst %.c,$(B)/%.o,$(wildcard device/vulkan/plan*.c) \
  $(addprefix device/vulkan/,nest.c traits.c execution_modes.c specialise.c))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -ldl -lm -lpthread
$(PROGRAMS:%=$(B)/test/%): $(B)/test/programs
	@ln -sf programs $@

$(patsubst harness/test/%.c,$(B)/test/%,$(wildcard harness/test/bench_*.c)) $(ALONE_BIN): \
  $(B)/test/%: $(B)/test/%.o $(B)/harness/harness.a $(REFERENCE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -ldl -lm -lpthread
$(patsubst device/test/%.c,$(B)/test/%,$(wildcard device/test/bench_*.c) device/test/limits.c): \
  $(B)/test/%: $(B)/test/%.o $(REFERENCE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl -lm -lpthread

FUZZ_CC  ?= clang
FUZZ_B   := build/$(if $(findstring afl,$(FUZZ_CC)),afl,fuzz)
FUZZ_SAN := address,undefined
$(B)/tools/%.o: tools/fuzz/%.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -DXXH_INLINE_ALL $(PKG_CFLAGS) -MMD -MP -c -o $@ $<
# The objects of fuzz targets. With a fuzzer, everything is static except the C library, so the program runs on machines
# with few libraries.
FUZZ_OBJ := $(B)/tools/folder.o $(B)/harness/harness.a $(B)/device/reference/reference.a
$(B)/device/reference/reference.a: $(REFERENCE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(FUZZ_TARGETS:%=$(B)/fuzz_%): $(B)/fuzz_%: $(B)/tools/fuzz_%.o $(FUZZ_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -static-libgcc -static-libstdc++ -o $@ $^ \
	  -Wl,-Bstatic $(PKG_LIBS) -Wl,-Bdynamic -ldl -lm -lpthread

fuzzers: ## build the fuzz targets of tools/fuzz/ with libFuzzer, or FUZZ_CC=afl-clang-fast: with AFL++
	@tools/deps $(findstring afl,$(FUZZ_CC))
	@$(MAKE) --no-print-directory CC=$(FUZZ_CC) B=$(FUZZ_B) EXTRA_CFLAGS='-O1 -fsanitize=fuzzer-no-link,$(FUZZ_SAN)' \
	  EXTRA_LDFLAGS=-fsanitize=$(FUZZ_SAN) $(FUZZ_TARGETS:%=$(FUZZ_B)/fuzz_%)

fuzz-pack: ## build the fuzz targets with both fuzzers and pack them for a machine without compilers: build/fuzz.tar.xz
	@$(MAKE) --no-print-directory fuzzers FUZZ_CC=clang
	@$(MAKE) --no-print-directory fuzzers FUZZ_CC=afl-clang-fast
	@tools/fuzz/pack build/fuzz.tar.xz

# These targets install packages first and then start another make, since the rest of this file may need the packages.
check: deps-tests ## install what is missing, build, run the tests
	@tools/onnxruntime $(ONNX) || echo "without it, the tests of the device onnxruntime are skipped"
	@$(MAKE) --no-print-directory test-run

# With SHARD=M/N, the long targets run the M-th of N parts; all parts together are the whole target.
check-long: deps-tests ## the tests in test/long: all operators on all devices, mutants, attacks (SHARD)
	@tools/onnxruntime $(ONNX) || echo "without it, the tests of the device onnxruntime are skipped"
	@TEST_SECONDS=3600 SHARD=$(SHARD) $(MAKE) --no-print-directory test-run TESTS='$(LONG_TESTS)'

# Tests wait for devices that hang or sleep, and for the disk: three tests at a time used 85 % of two processors. So two
# more than there are processors may run.
TEST_JOBS ?= $(shell expr $(JOBS) + 2)
# $(B)/test/times gets a line for each test: seconds by the clock, of user time, of system time, name.
test-run: all tests
	@rm -f $(B)/test/times
	@TEST_TIMES=$(B)/test/times ASSAY=$(B)/assay ASSAY_DEVICES=$(B)/devices \
	  prove -j$(TEST_JOBS) --failures --timer --exec tools/run-test $(TESTS)

run: deps ## run all cases on reference and vulkan; results go to results.db (DB=FILE for another) and results.html
	@$(MAKE) --no-print-directory all
	@tools/first $(B)/assay $(DB)

validation: deps-tests ## all cases on the Vulkan device with lavapipe, under the validation layer, no message (SHARD)
	@$(MAKE) --no-print-directory all
	@$(B)/assay run -d vulkan:device=llvmpipe,validation $(SHARD:%=--shard %)

# Under sanitizers, these tests take most of the time of all; with SHARD=M/N, they take turns.
SANITIZED_BY_TURNS := $(patsubst %,$(B)/test/test_%,plan trial rules mistakes in_place plan_cache arena \
  attack_scripts report_details vulkan solve accept shapes)
sanitize: SANITIZED = $(filter-out $(SANITIZED_BY_TURNS),$(TEST_BIN)) $(if $(SHARD),$(shell \
  printf '%s\n' $(SANITIZED_BY_TURNS) | awk -v shard=$(SHARD) \
  'BEGIN { split(shard, part, "/") } NR % part[2] == part[1] % part[2]'),$(SANITIZED_BY_TURNS))
sanitize: export ASAN_OPTIONS = abort_on_error=1:detect_stack_use_after_return=1
sanitize: export UBSAN_OPTIONS = print_stacktrace=1
sanitize: deps-tests ## build with clang's ASan and UBSan, run C tests, and all cases on reference (SHARD)
	@$(MAKE) --no-print-directory CC=clang VARIANT=sanitize test-run TESTS='$(SANITIZED:$(B)/%=build/sanitize/%)'
	@build/sanitize/assay run -d reference --timeout 60 $(SHARD:%=--shard %)

mutation: deps-tests ## run the suite against every mutant, print which cases kill which
	@$(MAKE) --no-print-directory all
	@ASSAY=$(B)/assay tools/mutation

cluster: ## as root: a Slurm of four nodes on this machine runs all cases on reference in eight shards, in build/cluster
	@tools/deps cluster
	@$(MAKE) --no-print-directory all
	@ASSAY=$(B)/assay tools/cluster/demo $(B)/cluster

check-cluster: ## as root: tests tools/cluster with Slurm, GNU parallel and sshd on this machine
	@tools/deps cluster
	@$(MAKE) --no-print-directory test-run TESTS='$(CLUSTER_TESTS)'

bench: deps-tests ## measure machine, kernels, planning, start, cases, memory, fuzzing; BEFORE=PROGRAM to compare
	@$(MAKE) --no-print-directory all $(BENCH_BIN) $(B)/test/limits
	@set -e; for program in $(BENCH_BIN); do echo "$$program"; $$program; done
	@ASSAY=$(B)/assay LIMITS=$(B)/test/limits $(LUA) tools/bench-processor.lua
	@ASSAY=$(B)/assay $(LUA) tools/bench-gpu.lua
	@ASSAY=$(B)/assay BEFORE=$(BEFORE) tools/bench

# ---- around the build

deps: ## install the Debian packages that building and running need and that are missing
	@tools/deps run

deps-tests: ## install also those that only tests need
	@tools/deps

onnxruntime: deps ## fetch ONNX Runtime from npm and build it as a device
	@tools/onnxruntime $(ONNX)
	@$(MAKE) --no-print-directory all

third-parties: deps ## install the libraries that have adapters, run the cases on them, print operator × library
	@tools/deps third-parties
	@tools/onnxruntime $(ONNX)
	@$(MAKE) --no-print-directory all
	@ASSAY=$(B)/assay tools/third-parties

onnx-vectors: ## run the node tests of ONNX on DEVICE (default: reference); a table of what became of them
	@tools/deps vectors
	@$(MAKE) --no-print-directory all
	@ASSAY=$(B)/assay tools/vectors/run $(B)/vectors $(or $(DEVICE),reference) tools/vectors/onnx_node_tests.py

SHARE := $(DESTDIR)$(PREFIX)/share/assay
# The program prints the completions and the manual page.
BASH_FILE := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/assay
ZSH_FILE  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_assay
FISH_FILE := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/assay.fish
MAN_FILE  := $(DESTDIR)$(PREFIX)/share/man/man1/assay.1
PC_FILE   := $(DESTDIR)$(PREFIX)/share/pkgconfig/assay.pc
DOC       := $(DESTDIR)$(PREFIX)/share/doc/assay
# The files below share/assay have the same names as here, so the paths in guides stay valid; tools/guide prints the
# guides.
GUIDES := $(wildcard README.md cases/*.md specs/*.md reports/*.md device/*.md device/*/*.md tools/ci/*.md \
  tools/cluster/*.md)
SHARED := LICENSE CHANGELOG.md $(wildcard specs/*.lua specs/meta/*.lua cases/*.lua cases/meta/*.lua \
  cases/mustpass/*.txt.gz cases/bench/*.json \
  reports/*.sql reports/*.json reports/*.py reports/dashboard/data.schema.json \
  device/template/*.c device/template/adapter.* device/mutants/bugs*.h device/bridge/*.py device/bridge/*.js \
  device/bridge/*/*.py device/bridge/*/*.js) \
  $(filter-out tools/ci/bare,$(wildcard tools/ci/*)) \
  $(filter-out tools/cluster/demo tools/cluster/rack,$(wildcard tools/cluster/*))
# The headers and Lua files that the guides refer to.
SHARED += $(sort $(shell grep -oh 'harness/[a-z]*/[a-z_]*\.\(h\|lua\)' $(GUIDES)))
install: all ## install below PREFIX (/usr/local), staged in DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/assay $(DESTDIR)$(PREFIX)/lib/assay/devices $(DOC)
	install -m 755 $(ASSAY) $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(B)/assay-device $(DESTDIR)$(PREFIX)/lib/assay/
	install -m 644 $(DEVICE_LIBS) $(EXPECTED) $(DESTDIR)$(PREFIX)/lib/assay/devices/
	$(if $(filter onnxruntime,$(DEVICES)),\
	  install -m 644 $(ONNX)/lib/libonnxruntime.so.1 $(DESTDIR)$(PREFIX)/lib/assay/devices/)
	install -d $(dir $(BASH_FILE) $(ZSH_FILE) $(FISH_FILE) $(MAN_FILE) $(PC_FILE))
	$(ASSAY) completion bash >$(BASH_FILE)
	$(ASSAY) completion zsh >$(ZSH_FILE)
	$(ASSAY) completion fish >$(FISH_FILE)
	$(ASSAY) manual >$(MAN_FILE)
	sed 's/@VERSION@/$(VERSION)/' device/assay.pc.in >$(PC_FILE)
	chmod 644 $(BASH_FILE) $(ZSH_FILE) $(FISH_FILE) $(MAN_FILE) $(PC_FILE)
	install -m 644 device/device.h device/dml.h $(DESTDIR)$(PREFIX)/include/assay/
	@for file in $(filter-out $(GUIDES),$(SHARED)); do \
	  mode=644; [ ! -x "$$file" ] || mode=755; install -D -m $$mode "$$file" "$(SHARE)/$$file" || exit; done
	@for file in $(GUIDES); do \
	  install -D -m 644 "$$file" "$(SHARE)/$$file" && tools/guide "$$file" >"$(SHARE)/$$file" || exit; done
	for file in device.h dml.h; do ln -sf ../../../include/assay/$$file $(SHARE)/device/; done
	for file in README.md CHANGELOG.md LICENSE; do ln -sf ../../assay/$$file $(DOC)/; done
	install -m 644 $(B)/plan $(B)/compiled-specs $(SHARE)/

uninstall: ## remove what `make install` installed
	rm -rf $(DESTDIR)$(PREFIX)/bin/assay $(DESTDIR)$(PREFIX)/include/assay $(DESTDIR)$(PREFIX)/lib/assay $(SHARE) $(DOC) \
	  $(BASH_FILE) $(ZSH_FILE) $(FISH_FILE) $(MAN_FILE) $(PC_FILE)

# The archive has the last commit and the package that `make` would fetch from npm, so it builds without a network. The
# same commit gives the same bytes.
DIST := $(G)/dist/assay-$(VERSION).tar.xz
dist: $(UPLOT) ## pack the last commit: build/dist/assay-VERSION.tar.xz
	@[ -s $(UPLOT) ] || { \
	  echo "make dist: the archive needs $(UPLOT), which could not be fetched; to try again: rm $(UPLOT)" >&2; exit 1; }
	@mkdir -p $(dir $(DIST))
	@git diff --quiet HEAD || echo "make dist: uncommitted changes are left out"
	$(call say,DIST,$(DIST))
	$(Q)git -c tar.umask=0022 archive --prefix=assay-$(VERSION)/$(dir $(UPLOT)) --add-file=$(UPLOT) \
	  --prefix=assay-$(VERSION)/ --format=tar HEAD | xz -T1 -6 >$(DIST).part
	$(Q)mv $(DIST).part $(DIST)

deb: dist ## make a Debian package of the last commit: build/deb/assay_VERSION_ARCHITECTURE.deb
	@tools/deps package
	@tools/package $(DIST) $(G)/deb

check-bare: deb ## as root: the image, the recipes of tools/ci and the package on bare trees of Debian, without Docker
	@tools/ci/bare $(DIST) $(G)/deb/assay_$(VERSION)_*.deb $(G)/bare

C_SOURCE := $(filter-out device/dml.h,$(wildcard */*.[ch] */*/*.[ch] */*/*.cpp */*/*/*.[ch]))
C_SOURCE := $(filter-out build/% node_modules/%,$(C_SOURCE))
MARKDOWN := $(filter-out build/% node_modules/%,$(wildcard *.md */*.md */*/*.md))
LUA_SOURCE := $(filter-out build/%,$(wildcard */*.lua */*/*.lua))
SHELL_SOURCE := .ci/run tools/ci/bare tools/fuzz/run tools/fuzz/pack tools/vectors/run \
  $(addprefix tools/,bench dashboard deps embed few first floors guide \
  mustpass mutation npm onnxruntime package pagecheck run-test shader subjects) \
  $(wildcard tools/cluster/[a-z]*) $(wildcard tools/*.sh */test/*.sh */test/long/*.sh tools/test/cluster/*.sh)

lint: ## check the style of C, Lua and shell, and the width of lines in guides
	$(Q)clang-format --dry-run -Werror $(C_SOURCE)
	$(Q)$(LUA) tools/style.lua $(C_SOURCE) $(wildcard device/vulkan/shaders/*) Makefile .ci/run $(MARKDOWN) \
	  $(LUA_SOURCE) $(SHELL_SOURCE)
	$(Q)luacheck --quiet $(LUA_SOURCE)
	$(Q)shellcheck $(SHELL_SOURCE)

format: ## format the C sources by .clang-format
	clang-format -i $(C_SOURCE)

clean: ## remove everything that was built
	rm -rf build

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1 \2/p' Makefile | \
	  awk '{ name = $$2; $$1 = $$2 = ""; printf "  make %-10s%s\n", name, $$0 }'
	@echo "  V=1 shows the commands, VARIANT=debug|sanitize|coverage|arm64 builds in build/<variant>/,"
	@echo "  CC=clang uses clang, SHARD=M/N: only the M-th of N parts of a target with (SHARD)"

-include $(wildcard $(B)/*/*.d $(B)/device/*/*.d $(B)/device/*/*/*.d $(B)/harness/*/*.d)
