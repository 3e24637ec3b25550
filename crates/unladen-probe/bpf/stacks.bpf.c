// SPDX-License-Identifier: MIT OR Apache-2.0
// What is on the stack when the clock ticks. src/stacks/sampler.rs reads these layouts.
#include "kernel.h"

static u64 (*current_uid_gid)(void) = (void *)15;
static long (*current_comm)(void *to, u32 size) = (void *)16;
static long (*stack_of)(void *context, void *to, u32 size, u64 flags) = (void *)67;
#define STACK_OF_USER (1ULL << 8)

// As deep as the kernel looks by itself (kernel.perf_event_max_stack).
#define MOST_FRAMES 127
#define STACK_BYTES (MOST_FRAMES * sizeof(u64))
#define COMM_BYTES 16

// Followed by the frames, innermost first: those in the kernel, then those in the program.
struct sample {
	u64 at;
	u32 pid;
	u32 tid;
	u32 parent;
	u32 uid;
	u32 kernel_bytes;
	u32 user_bytes;
	u8 comm[COMM_BYTES];
	u8 frames[2 * STACK_BYTES];
};

#define HEAD_BYTES (sizeof(struct sample) - 2 * STACK_BYTES)

// A task as far as its parent is read; the name's end after ___ counts for nothing.
struct task_struct___family {
	int tgid;
	struct task_struct___family *real_parent;
} __attribute__((preserve_access_index));

// Its size is set when it is made.
struct {
	MAP_TYPE(MAP_RINGBUF);
	MAP_MAX(4194304);
} samples SEC(".maps");

// Where a sample is made, as its length is only known in the end: the clock's interrupt does not interrupt itself.
struct {
	MAP_TYPE(MAP_PERCPU_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(struct sample);
} scratch SEC(".maps");

struct {
	MAP_TYPE(MAP_PERCPU_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(u64);
} lost SEC(".maps");

SEC("perf_event")
int on_tick(void *context)
{
	u64 pid_tgid = current_pid_tgid();
	u32 zero = 0;
	if (!pid_tgid)
		return 0; // idle
	struct sample *sample = map_lookup(&scratch, &zero);
	if (!sample)
		return 0;
	struct task_struct___family *task = (void *)current_task();
	struct task_struct___family *parent = get(task, real_parent);
	sample->at = now_ns();
	sample->pid = pid_tgid >> 32;
	sample->tid = (u32)pid_tgid;
	sample->parent = get(parent, tgid);
	sample->uid = (u32)current_uid_gid();
	current_comm(sample->comm, COMM_BYTES);

	long kernel = stack_of(context, sample->frames, STACK_BYTES, 0);
	u64 bytes = kernel > 0 ? kernel : 0;
	barrier(bytes);
	if (bytes > STACK_BYTES)
		return 0;
	long user = stack_of(context, sample->frames + bytes, STACK_BYTES, STACK_OF_USER);
	u64 more = user > 0 ? user : 0;
	barrier(more);
	if (more > STACK_BYTES)
		return 0;
	sample->kernel_bytes = bytes;
	sample->user_bytes = more;
	if (ring_output(&samples, sample, HEAD_BYTES + bytes + more, NO_WAKEUP)) {
		u64 *lost_here = map_lookup(&lost, &zero);
		if (lost_here)
			*lost_here += 1;
	}
	return 0;
}
