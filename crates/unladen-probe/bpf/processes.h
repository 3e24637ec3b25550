// SPDX-License-Identifier: MIT OR Apache-2.0
// Processes: who begins, what becomes of them, their time on processors; and connections that stand.
#pragma once
#include "object.h"
#include "record.h"

struct thread {
	u64 since; // 0: in no system call whose beginning was seen
	u32 number;
	u32 group;
};

// tid → the system call that it is in.
struct {
	MAP_TYPE(MAP_HASH);
	MAP_MAX(65536);
	MAP_KEY(u32);
	MAP_VALUE(struct thread);
} threads SEC(".maps");

// When the processor last changed hands.
struct {
	MAP_TYPE(MAP_PERCPU_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(u64);
} switched SEC(".maps");

inline_always u64 since_switch(u64 now, u64 next)
{
	u32 zero = 0;
	u64 *since = map_lookup(&switched, &zero);
	if (!since)
		return 0;
	u64 passed = *since ? now - *since : 0;
	*since = next;
	return passed;
}

SEC("tp_btf/sched_switch")
int on_switch(u64 *context)
{
	struct task_struct *leaves = (void *)context[1];
	u64 now = now_ns();
	u64 ran = since_switch(now, now);
	u32 tgid = ids_of(leaves) >> 32;
	struct watched *process = map_lookup(&watched, &tgid);
	if (process)
		__sync_fetch_and_add(&process->cpu_ns, ran);
	return 0;
}

// Runs before the child does: nothing of it is missed.
SEC("tp_btf/sched_process_fork")
int on_fork(u64 *context)
{
	struct task_struct *parent = (void *)context[0];
	struct task_struct *child = (void *)context[1];
	u32 tgid = ids_of(parent) >> 32;
	u32 child_tgid = ids_of(child) >> 32;
	if (tgid == child_tgid)
		return 0; // a thread
	struct watched *process = map_lookup(&watched, &tgid);
	if (!process)
		return 0;
	struct watched inherited = {.group = process->children, .own = 1, .children = process->children};
	if (map_update(&watched, &child_tgid, &inherited, ANY))
		lose();
	if (!process->own)
		return 0;
	struct record *record = reserve(0);
	if (!record)
		return 0;
	begin(record, FORK, process->group, current_ids());
	record->at = now_ns();
	record->result = child_tgid;
	ring_submit(record, NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(u64 *context)
{
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	if (!process)
		return 0;
	struct linux_binprm *program = (void *)context[2];
	struct record *record = reserve(MAX_PATH);
	if (!record)
		return 0;
	begin(record, EXEC, process->group, pid_tgid);
	record->at = now_ns();
	long length = read_kernel_text(record + 1, MAX_PATH, get(program, filename));
	record->first = length > 0 ? length - 1 : 0;
	ring_submit(record, NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_process_exit(u64 *context)
{
	struct task_struct *task = (void *)context[0];
	u64 pid_tgid = ids_of(task);
	u32 tid = pid_tgid;
	u32 tgid = pid_tgid >> 32;
	struct watched *process = map_lookup(&watched, &tgid);
	if (!process)
		return 0;
	map_delete(&threads, &tid);
	if (get(get(task, signal), live.counter) > 0)
		return 0; // other threads live on
	u64 now = now_ns();
	struct watched ended = *process;
	ended.cpu_ns += since_switch(now, now);
	// Two last threads may end at once: one of them finds the process.
	if (map_delete(&watched, &tgid) || !ended.own)
		return 0;
	struct record *record = reserve(0);
	if (!record)
		return 0;
	begin(record, EXIT, ended.group, (u64)tgid << 32 | tid);
	record->at = now;
	record->result = ended.cpu_ns;
	ring_submit(record, NO_WAKEUP);
	return 0;
}

// === Connections that stand ===

struct asked {
	u64 at;
	u64 pid_tgid;
	u32 group;
	u32 unused;
};

// Sockets whose first packet is on its way. The answer comes in whatever process happens to run.
struct {
	MAP_TYPE(MAP_LRU_HASH);
	MAP_MAX(8192);
	MAP_KEY(u64);
	MAP_VALUE(struct asked);
} connecting SEC(".maps");

#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2

SEC("tp_btf/inet_sock_set_state")
int on_state(u64 *context)
{
	u64 id = context[0];
	int before = context[1];
	int after = context[2];
	if (after == TCP_SYN_SENT) {
		u64 pid_tgid = current_ids();
		struct watched *process = watched_now(pid_tgid);
		if (process) {
			struct asked asked = {.at = now_ns(), .pid_tgid = pid_tgid, .group = process->group};
			map_update(&connecting, &id, &asked, ANY);
		}
		return 0;
	}
	if (before != TCP_SYN_SENT)
		return 0;
	struct asked *asked = map_lookup(&connecting, &id);
	if (!asked)
		return 0;
	struct asked was = *asked;
	map_delete(&connecting, &id);
	if (after != TCP_ESTABLISHED)
		return 0;
	struct record *record = reserve(MAX_NAME);
	if (!record)
		return 0;
	begin(record, ESTABLISHED, was.group, was.pid_tgid);
	record->at = now_ns();
	record->took = record->at - was.at;
	describe_socket(&record->object, (void *)context[0], (u8 *)(record + 1));
	ring_submit(record, NO_WAKEUP);
	return 0;
}
