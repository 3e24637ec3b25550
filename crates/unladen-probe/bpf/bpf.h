// SPDX-License-Identifier: MIT OR Apache-2.0
// What every BPF program here needs of the kernel's interface: types, helpers, the notation of maps, reading by CO-RE.
//
// Own declarations, not libbpf's headers: so the sources compile with nothing but clang, on any distribution.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define NULL ((void *)0)
#define SEC(name) __attribute__((section(name), used))
#define inline_always static inline __attribute__((always_inline))
#define function static __attribute__((noinline))

// === Maps, as libbpf reads them from BTF ===

#define MAP_TYPE(value) int(*type)[value]
#define MAP_MAX(value) int(*max_entries)[value]
#define MAP_FLAGS(value) int(*map_flags)[value]
#define MAP_KEY(of) of *key
#define MAP_VALUE(of) of *value

enum {
	MAP_HASH = 1,
	MAP_ARRAY = 2,
	MAP_PERCPU_ARRAY = 6,
	MAP_LRU_HASH = 9,
	MAP_RINGBUF = 27,

	ANY = 0,
	NO_PREALLOC = 1,
	// The reader looks by itself, every few ms: waking it for each event would disturb what is measured.
	NO_WAKEUP = 1,
};

// === Helpers: numbers and types of include/uapi/linux/bpf.h, which never change ===

static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(void *map, const void *key) = (void *)3;
static u64 (*now_ns)(void) = (void *)5; // CLOCK_MONOTONIC
static u64 (*current_pid_tgid)(void) = (void *)14;
static u64 (*current_task)(void) = (void *)35;
static long (*read_user)(void *to, u32 size, const void *from) = (void *)112;
static long (*read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static long (*read_user_text)(void *to, u32 size, const void *from) = (void *)114;
static long (*read_kernel_text)(void *to, u32 size, const void *from) = (void *)115;
static long (*ring_output)(void *ring, void *data, u64 size, u64 flags) = (void *)130;
static void *(*ring_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*ring_submit)(void *data, u64 flags) = (void *)132;
static void (*ring_discard)(void *data, u64 flags) = (void *)133;

// A field of a kernel structure: its place is filled in when the program is loaded (CO-RE).
#define get(pointer, field)                                              \
	({                                                               \
		typeof((pointer)->field) got = 0;                        \
		read_kernel(&got, sizeof(got), &(pointer)->field);       \
		got;                                                     \
	})

// Whether the running kernel has a field.
#define has(pointer, field) __builtin_preserve_field_info((pointer)->field, 2)

// Hides a number's origin from the compiler, so that a bound that was checked stays checked in the register that is used.
#define barrier(number) asm volatile("" : "+r"(number))

char LICENSE[] SEC("license") = "Dual MIT/GPL";
