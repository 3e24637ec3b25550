// SPDX-License-Identifier: MIT OR Apache-2.0
// What goes from the kernel to user space, and the maps of both objects. src/trace/record.rs reads these layouts.
#pragma once
#include "ids.h"

enum kind {
	COUNTED = 0, // no event
	PATH = 1,
	TRANSFER = 2,
	CONNECT = 3,
	CLOSE = 4,
	LOCK = 5,
	SLEEP = 6,
	FORK = 7,
	EXEC = 8,
	EXIT = 9,
	ESTABLISHED = 10,
	COMPILE = 11,
	PREPARE = 12,
	STEP = 13,
	RESET = 14,
	ROWS = 15,
};

enum object_kind {
	OBJECT_NONE = 0,
	OBJECT_FILE = 1,
	OBJECT_SOCKET = 2,
	OBJECT_PIPE = 3,
	OBJECT_OTHER = 4,
};

enum object_flags {
	OWN_NAME = 1, // a Unix socket that is bound, or was accepted by one that is
};

struct object {
	u64 id;
	u8 kind;
	u8 family;
	u8 type;
	u8 flags;
	u16 peer_port; // network order
	u16 own_port;
	u8 peer[16];
};

// Followed by `first` bytes (a path, the object's name) and `second` bytes (another path, payload).
struct record {
	u64 at;
	u64 took;
	s64 result;
	u64 arguments[6];
	u32 pid;
	u32 tid;
	u32 group;
	u16 kind;
	u16 number;
	struct object object;
	u16 first;
	u16 second;
	u32 unused;
};

#define MAX_PATH 512
#define MAX_NAME 256
#define MAX_PAYLOAD 4096

struct watched {
	u32 group;
	u32 own; // 0: only its children are of interest
	u64 cpu_ns;
	u32 children; // the group of those that it will have
	u32 unused;
};

// tgid → what is followed.
struct {
	MAP_TYPE(MAP_HASH);
	MAP_MAX(16384);
	MAP_KEY(u32);
	MAP_VALUE(struct watched);
} watched SEC(".maps");

// Its size is set when it is made.
struct {
	MAP_TYPE(MAP_RINGBUF);
	MAP_MAX(16777216);
} events SEC(".maps");

struct count_key {
	u32 pid;
	u32 group;
	u16 number;
	u16 error;
};

#define NUMBER_CLASS_LOOKUP 0xffff

struct count {
	u64 times;
	u64 time_ns;
};

struct {
	MAP_TYPE(MAP_HASH);
	MAP_MAX(65536);
	MAP_KEY(struct count_key);
	MAP_VALUE(struct count);
} counts SEC(".maps");

// Events and counts that found no room, or whose memory could not be read.
struct {
	MAP_TYPE(MAP_PERCPU_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(u64);
} lost SEC(".maps");

inline_always void lose(void)
{
	u32 zero = 0;
	u64 *lost_here = map_lookup(&lost, &zero);
	if (lost_here)
		*lost_here += 1;
}

inline_always void count(u32 pid, u32 group, u16 number, u16 error, u64 took)
{
	struct count_key key = {.pid = pid, .group = group, .number = number, .error = error};
	struct count *found = map_lookup(&counts, &key);
	if (!found) {
		struct count none = {};
		map_update(&counts, &key, &none, ANY);
		found = map_lookup(&counts, &key);
		if (!found) {
			lose();
			return;
		}
	}
	__sync_fetch_and_add(&found->times, 1);
	// Of a constant 0, clang makes an atomic `or`, which kernels before 5.12 do not know.
	if (took)
		__sync_fetch_and_add(&found->time_ns, took);
}

// The process that runs, if it is followed for itself.
inline_always struct watched *watched_now(u64 pid_tgid)
{
	u32 tgid = pid_tgid >> 32;
	struct watched *found = map_lookup(&watched, &tgid);
	return found && found->own ? found : NULL;
}

inline_always void begin(struct record *record, u16 kind, u32 group, u64 pid_tgid)
{
	__builtin_memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->group = group;
	record->pid = pid_tgid >> 32;
	record->tid = (u32)pid_tgid;
}

// A record of fixed size in the ring; NULL, and counted as lost, where there is no room.
inline_always struct record *reserve(u32 more)
{
	struct record *record = ring_reserve(&events, sizeof(struct record) + more, 0);
	if (!record)
		lose();
	return record;
}
