// SPDX-License-Identifier: MIT OR Apache-2.0
// Ids of processes and threads as the PID namespace has them in which unladen runs: those that it reads in /proc.
#pragma once
#include "kernel.h"

// Set before anything is attached.
struct own_namespace {
	u32 number; // of its file in /proc/PID/ns; 0: the first one, where the kernel's own ids hold
	u32 level; // how deep it is; 0: not known yet
};

struct {
	MAP_TYPE(MAP_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(struct own_namespace);
} own SEC(".maps");

// struct upid: as it is since Linux 2.6.24.
struct numbered {
	u32 id;
	u32 unused;
	struct pid_namespace *space;
};

// The id at this depth, if the namespace there has that number; else 0.
inline_always u32 id_at(struct pid *pid, u32 level, u32 number)
{
	struct numbered its = {};
	if (read_kernel(&its, sizeof(its), (u8 *)&pid->numbers + level * sizeof(its)) || !its.space)
		return 0;
	return get(its.space, ns.inum) == number ? its.id : 0;
}

inline_always u32 id_of(struct task_struct *task, struct own_namespace *ours)
{
	struct pid *pid = get(task, thread_pid);
	if (!pid)
		return 0; // it has ended
	u32 level = get(pid, level);
	// Whoever lives in this very namespace, as unladen does, tells how deep that is.
	if (!ours->level) {
		u32 id = id_at(pid, level, ours->number);
		if (id)
			ours->level = level;
		return id;
	}
	return level < ours->level ? 0 : id_at(pid, ours->level, ours->number);
}

// As current_pid_tgid has them; 0 of what cannot be seen from this namespace.
function u64 nested_ids(struct task_struct *task, struct own_namespace *ours)
{
	u32 tgid = id_of(get(task, group_leader), ours);
	return tgid ? (u64)tgid << 32 | id_of(task, ours) : 0;
}

inline_always struct own_namespace *nested(void)
{
	u32 zero = 0;
	struct own_namespace *ours = map_lookup(&own, &zero);
	return ours && ours->number ? ours : NULL;
}

// Of the process that runs.
inline_always u64 current_ids(void)
{
	struct own_namespace *ours = nested();
	return ours ? nested_ids((void *)current_task(), ours) : current_pid_tgid();
}

// Of a task that a tracepoint gives.
inline_always u64 ids_of(struct task_struct *task)
{
	struct own_namespace *ours = nested();
	return ours ? nested_ids(task, ours) : (u64)(u32)task->tgid << 32 | (u32)task->pid;
}
