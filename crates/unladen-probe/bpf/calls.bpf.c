// SPDX-License-Identifier: MIT OR Apache-2.0
// System calls of followed processes: all are counted, and those that src/trace/calls.rs describes become events.
#include "arch.h"
#include "object.h"
#include "payload.h"
#include "record.h"
#include "rows.h"
#include "processes.h"

#define MAX_CALLS 1024
#define NO_ARGUMENT 0xff
#define MAX_TAIL 64
#define MAX_FILE_PAYLOAD 256
#define MAX_MESSAGES 4

enum path_shape {
	FLAGS_AS_NUMBER = 0,
	FLAGS_IN_STRUCT = 1, // openat2: its third argument points at them
};

enum transfer_shape {
	SHAPE_NONE = 0,
	SHAPE_BUFFER = 1,
	SHAPE_PIECES = 2,
	SHAPE_MESSAGE = 3,
	SHAPE_MESSAGES = 4,
};

enum sleep_shape {
	SLEEP_ALWAYS = 0,
	SLEEP_SELECT = 1,
	SLEEP_POLL = 2,
	SLEEP_PPOLL = 3,
};

// How a system call is read: filled by user space, so that this file knows no numbers of processors.
struct call {
	u8 kind;
	u8 shape;
	u8 first;  // PATH: the path's argument. TRANSFER: 1 is out
	u8 second; // PATH: the other path's argument. TRANSFER: the address'
};

struct {
	MAP_TYPE(MAP_ARRAY);
	MAP_MAX(MAX_CALLS);
	MAP_KEY(u32);
	MAP_VALUE(struct call);
} calls SEC(".maps");

// Only used where preemption is off (programs on sys_exit), by one program: so one for each processor is enough.
struct {
	MAP_TYPE(MAP_PERCPU_ARRAY);
	MAP_MAX(1);
	MAP_KEY(u32);
	MAP_VALUE(struct scratch);
} scratches SEC(".maps");

inline_always void output(struct scratch *scratch)
{
	u64 size = sizeof(struct record) + scratch->record.first + scratch->record.second;
	size &= 0x1fff;
	if (ring_output(&events, scratch, size, NO_WAKEUP))
		lose();
}

// === Paths ===

// Without an argument for the path, the descriptor alone says which (fchdir). An empty path (fstat by newfstatat) or none
// (futimens by utimensat) names no file: the count has it.
function int on_path(struct scratch *scratch, struct call *call)
{
	struct record *record = &scratch->record;
	u64 at = record->arguments[call->first & 7];
	if (call->first != NO_ARGUMENT) {
		if (!at)
			return 0;
		long length = read_user_text(scratch->data, MAX_PATH, (void *)at);
		if (length < 0) {
			lose();
			return 0;
		}
		if (length <= 1)
			return 0;
		record->first = length - 1;
	}
	if (call->shape == FLAGS_IN_STRUCT)
		read_user(&record->arguments[2], sizeof(u64), (void *)record->arguments[2]);
	if (call->second != NO_ARGUMENT) {
		u32 begin = record->first;
		barrier(begin);
		if (begin > MAX_PATH)
			return 0;
		u64 target = record->arguments[call->second & 7];
		long length = read_user_text(scratch->data + begin, MAX_PATH, (void *)target);
		record->second = length > 0 ? length - 1 : 0;
	}
	output(scratch);
	return 0;
}

// === Bytes ===

// How much of it is wanted, and from where.
inline_always void want(struct wanted *wanted, struct record *record, int out)
{
	u8 kind = record->object.kind;
	u64 went = record->result > 0 ? record->result : 0;
	u64 most = 0;
	if (out)
		most = kind == OBJECT_SOCKET || kind == OBJECT_PIPE ? MAX_PAYLOAD : MAX_FILE_PAYLOAD;
	else if (kind == OBJECT_SOCKET)
		most = MAX_TAIL;
	wanted->bytes = went < most ? went : most;
	wanted->skip = out ? 0 : went - wanted->bytes;
	wanted->at = record->first;
}

// What was sent, or received into one buffer, over a socket; its record is out. A function of its own: inlined, it had bounds
// spilled that the verifiers of Linux 5.10 and 6.1 then forget.
function int on_stream(struct scratch *scratch, int out, u64 base)
{
	struct record *record = &scratch->record;
	if (record->object.kind != OBJECT_SOCKET || record->object.type != SOCK_STREAM || record->result <= 0)
		return 0;
	if (out) {
		u32 at = record->first;
		barrier(at);
		if (at <= MAX_NAME)
			on_command(record->object.id, scratch->data + at, record->second, record->result);
		return 0;
	}
	u32 rows = 0;
	if (!on_answer(record->object.id, base, record->result, &rows))
		return 0;
	record->kind = ROWS;
	record->result = rows;
	record->second = 0;
	output(scratch);
	return 0;
}

function int on_message(struct scratch *scratch, u64 header, int out)
{
	struct record *record = &scratch->record;
	struct msghdr message = {};
	struct wanted wanted = {};
	if (read_user(&message, sizeof(message), (void *)header)) {
		output(scratch);
		return 0;
	}
	if (record->result >= 0 || out)
		record->first = describe_address(&record->object, message.name, message.name_length, scratch->data,
						 record->first);
	want(&wanted, record, out);
	take_pieces(scratch, &wanted, message.pieces, message.piece_count);
	record->second = wanted.at - record->first;
	output(scratch);
	on_stream(scratch, out, first_piece(message.pieces, record->result));
	return 0;
}

function int on_messages(struct scratch *scratch, int out)
{
	struct record *record = &scratch->record;
	u64 vector = record->arguments[1];
	s64 went = record->result;
	u16 named = record->first;
	if (went <= 0) {
		output(scratch);
		return 0;
	}
	for (u32 i = 0; i < MAX_MESSAGES; i++) {
		u64 header = vector + i * sizeof(struct mmsghdr);
		u32 length = 0;
		if (i >= went)
			break;
		read_user(&length, sizeof(length), (void *)(header + sizeof(struct msghdr)));
		record->result = length;
		record->first = named;
		on_message(scratch, header, out);
	}
	return 0;
}

function int on_transfer(struct scratch *scratch, struct call *call)
{
	struct record *record = &scratch->record;
	struct wanted wanted = {};
	int out = call->first;
	record->first = describe(&record->object, record->arguments[0], scratch->data);
	if (!record->object.kind)
		return 0; // no such descriptor
	if (call->second != NO_ARGUMENT) {
		u64 length = record->arguments[5];
		if (!out) {
			// By reference. Of a connected stream the kernel gives no address: the memory for one then has anything.
			u32 given = 0;
			read_user(&given, sizeof(given), (void *)length);
			length = given;
		}
		if (out || record->result >= 0)
			record->first = describe_address(&record->object, record->arguments[call->second & 7], length,
							 scratch->data, record->first);
	}
	if (call->shape == SHAPE_MESSAGES)
		return on_messages(scratch, out);
	if (call->shape == SHAPE_MESSAGE)
		return on_message(scratch, record->arguments[1], out);
	want(&wanted, record, out);
	if (call->shape == SHAPE_PIECES)
		take_pieces(scratch, &wanted, record->arguments[1], record->arguments[2]);
	else if (call->shape == SHAPE_BUFFER && wanted.bytes)
		take_piece(scratch, &wanted, record->arguments[1], record->result);
	record->second = wanted.at - record->first;
	output(scratch);
	u64 base = record->arguments[1];
	on_stream(scratch, out, call->shape == SHAPE_PIECES ? first_piece(base, record->result) : base);
	return 0;
}

function int on_connect(struct scratch *scratch)
{
	struct record *record = &scratch->record;
	record->first = describe(&record->object, record->arguments[0], scratch->data);
	if (record->object.kind != OBJECT_SOCKET)
		return 0;
	record->first = describe_address(&record->object, record->arguments[1], record->arguments[2], scratch->data,
					 record->first);
	map_delete(&answers, &record->object.id);
	output(scratch);
	return 0;
}

// === Locks and sleeps ===

#define F_SETLK 6
#define F_SETLKW 7
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#define LOCK_IS_FCNTL 1

function int on_lock(struct scratch *scratch, struct call *call)
{
	struct record *record = &scratch->record;
	if (call->shape == LOCK_IS_FCNTL) {
		u32 command = record->arguments[1];
		if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK && command != F_OFD_SETLKW)
			return 0;
		u16 type = 0; // l_type, the first field of struct flock
		if (read_user(&type, sizeof(type), (void *)record->arguments[2]))
			return 0;
		record->arguments[2] = type;
	}
	record->first = describe(&record->object, record->arguments[0], scratch->data);
	output(scratch);
	return 0;
}

inline_always void on_sleep(struct scratch *scratch, struct call *call)
{
	u64 *argument = scratch->record.arguments;
	if (call->shape == SLEEP_SELECT && (argument[1] || argument[2] || argument[3] || !argument[4]))
		return;
	if (call->shape == SLEEP_POLL && ((u32)argument[1] || (s32)argument[2] <= 0))
		return;
	if (call->shape == SLEEP_PPOLL && ((u32)argument[1] || !argument[2]))
		return;
	output(scratch);
}

// === Entry and return of every system call ===

// The descriptor is gone when close returns.
function int on_close(u32 group, u64 pid_tgid, u64 fd)
{
	struct record *record = reserve(MAX_NAME);
	if (!record)
		return 0;
	begin(record, CLOSE, group, pid_tgid);
	record->arguments[0] = fd;
	record->first = describe(&record->object, fd, (u8 *)(record + 1));
	if (record->object.kind != OBJECT_FILE && record->object.kind != OBJECT_SOCKET) {
		ring_discard(record, NO_WAKEUP);
		return 0;
	}
	record->at = now_ns();
	ring_submit(record, NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sys_enter")
int on_enter(u64 *context)
{
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	if (!process || is_32_bit_call((void *)current_task()))
		return 0;
	u32 tid = pid_tgid;
	u64 number = context[1];
	if (is_call_of_tracing(number))
		return 0;
	if (number == CALL_CLOSE) {
		struct pt_regs *regs = (void *)context[0];
		on_close(process->group, pid_tgid, ARGUMENT_1(regs));
	}
	struct thread *thread = map_lookup(&threads, &tid);
	if (!thread) {
		struct thread none = {};
		map_update(&threads, &tid, &none, ANY);
		thread = map_lookup(&threads, &tid);
		if (!thread) {
			lose();
			return 0;
		}
	}
	thread->number = number;
	thread->group = process->group;
	thread->since = now_ns(); // last, so that little of this program is in the call's time
	return 0;
}

SEC("tp_btf/sys_exit")
int on_exit(u64 *context)
{
	u64 pid_tgid = current_ids();
	u32 tid = pid_tgid;
	struct thread *thread = map_lookup(&threads, &tid);
	if (!thread || !thread->since)
		return 0;
	u64 now = now_ns();
	u64 took = now - thread->since;
	thread->since = 0;
	s64 result = context[1];
	u32 number = thread->number;
	count(pid_tgid >> 32, thread->group, number, result < 0 && result >= -4095 ? -result : 0, took);

	struct call *call = map_lookup(&calls, &number);
	if (!call || !call->kind)
		return 0;
	u32 zero = 0;
	struct scratch *scratch = map_lookup(&scratches, &zero);
	if (!scratch)
		return 0;
	struct record *record = &scratch->record;
	begin(record, call->kind, thread->group, pid_tgid);
	record->at = now;
	record->took = took;
	record->result = result;
	record->number = number;
	call_arguments(record->arguments, (void *)context[0]);
	switch (call->kind) {
	case PATH:
		return on_path(scratch, call);
	case TRANSFER:
		return on_transfer(scratch, call);
	case CONNECT:
		return on_connect(scratch);
	case LOCK:
		return on_lock(scratch, call);
	case SLEEP:
		on_sleep(scratch, call);
		return 0;
	}
	return 0;
}
