// SPDX-License-Identifier: MIT OR Apache-2.0
// Functions of programs and libraries: compilers, and SQLite. src/trace/functions.rs says which program belongs where.
//
// Unlike those on system calls, these programs can be preempted: records are made in the ring, never in memory that
// processors share.
#include "arch.h"
#include "record.h"

enum which {
	COMPILE_PHP = 0,
	COMPILE_PERL = 1,
	SQLITE_PREPARE = 2,
	SQLITE_STEP = 3,
};

// A call that has not returned. Its place on the stack tells it from others of the same thread; and a function that is left by
// longjmp, as Perl's die and PHP's fatal errors do, leaves an entry that stands in nobody's way and falls out some day.
struct frame {
	u64 stack;
	u32 tid;
	u32 which;
};

struct entered {
	u64 at;
	u64 queued; // how long the thread had waited for a processor until then
	u64 subject;
	u64 text;
	u32 text_length;
	u32 nested;
};

struct {
	MAP_TYPE(MAP_LRU_HASH);
	MAP_MAX(16384);
	MAP_KEY(struct frame);
	MAP_VALUE(struct entered);
} frames SEC(".maps");

struct outermost {
	u32 tid;
	u32 which;
};

// Where on the stack the outermost call of a thread stands.
struct {
	MAP_TYPE(MAP_LRU_HASH);
	MAP_MAX(16384);
	MAP_KEY(struct outermost);
	MAP_VALUE(u64);
} outermosts SEC(".maps");

// Stacks grow downwards: a call that stands as high as the outermost or higher has replaced it, so that was left by longjmp.
inline_always u32 is_nested(struct outermost *key, u64 stack)
{
	u64 *outer = map_lookup(&outermosts, key);
	if (outer && *outer > stack)
		return 1;
	map_update(&outermosts, key, &stack, ANY);
	return 0;
}

// A call's time is without its waits for a processor, which depend on what else the machine does.
inline_always u64 queued_ns(void)
{
	struct task_struct *task = (void *)current_task();
	return has(task, sched_info.run_delay) ? get(task, sched_info.run_delay) : 0;
}

inline_always int enter(struct pt_regs *regs, u32 which, struct entered *entered)
{
	u64 pid_tgid = current_ids();
	if (!watched_now(pid_tgid))
		return 0;
	struct frame frame = {.stack = STACK_AT_ENTRY(regs), .tid = pid_tgid, .which = which};
	if (which == COMPILE_PHP || which == COMPILE_PERL) {
		struct outermost key = {.tid = pid_tgid, .which = which};
		entered->nested = is_nested(&key, frame.stack);
	}
	entered->queued = queued_ns();
	entered->at = now_ns();
	map_update(&frames, &frame, entered, ANY);
	return 0;
}

// The call that returns now, and forgets it; 0 if its beginning was not seen.
inline_always int leave(struct pt_regs *regs, u32 which, u64 pid_tgid, struct entered *entered)
{
	struct frame frame = {.stack = STACK_AT_RETURN(regs), .tid = pid_tgid, .which = which};
	struct entered *found = map_lookup(&frames, &frame);
	if (!found)
		return 0;
	*entered = *found;
	map_delete(&frames, &frame);
	if ((which == COMPILE_PHP || which == COMPILE_PERL) && !entered->nested) {
		struct outermost key = {.tid = pid_tgid, .which = which};
		map_delete(&outermosts, &key);
	}
	return 1;
}

inline_always void returned(struct record *record, u16 kind, u32 group, u64 pid_tgid, u64 now, struct entered *entered)
{
	begin(record, kind, group, pid_tgid);
	record->at = now;
	u64 took = now - entered->at;
	u64 queued = queued_ns() - entered->queued; // by the scheduler's clock, which may be ahead
	record->took = queued < took ? took - queued : 0;
	record->arguments[0] = entered->subject;
}

// === PHP ===

// zend_file_handle is the same here from PHP 7.4 to 8.4: a union of 40 bytes, `filename`, `opened_path`.
#define HANDLE_FILENAME 40
#define HANDLE_OPENED_PATH 48
// zend_string: reference count, type, hash, length, bytes.
#define STRING_LENGTH 16
#define STRING_BYTES 24

inline_always u32 read_string(u8 *to, u64 string)
{
	u64 length = 0;
	if (!string || read_user(&length, sizeof(length), (void *)(string + STRING_LENGTH)) || !length)
		return 0;
	long got = read_user_text(to, MAX_PATH, (void *)(string + STRING_BYTES));
	return got > 0 ? got - 1 : 0;
}

// `filename` is a zend_string since PHP 8.1, plain text before: a string begins with its reference count, which never looks
// like two letters, as that were more than 8,000 references.
inline_always int is_plain_text(u64 at)
{
	u8 two[2] = {};
	read_user(two, sizeof(two), (void *)at);
	return two[0] >= 0x20 && two[1] >= 0x20;
}

inline_always u32 compiled_path(u8 *to, u64 handle)
{
	u64 opened = 0;
	u64 filename = 0;
	read_user(&opened, sizeof(opened), (void *)(handle + HANDLE_OPENED_PATH));
	u32 length = read_string(to, opened);
	if (length)
		return length;
	read_user(&filename, sizeof(filename), (void *)(handle + HANDLE_FILENAME));
	if (!filename)
		return 0;
	if (!is_plain_text(filename))
		return read_string(to, filename);
	long got = read_user_text(to, MAX_PATH, (void *)filename);
	return got > 0 ? got - 1 : 0;
}

SEC("uprobe")
int php_compile(struct pt_regs *regs)
{
	struct entered entered = {.subject = ARGUMENT_1(regs)};
	return enter(regs, COMPILE_PHP, &entered);
}

SEC("uretprobe")
int php_compiled(struct pt_regs *regs)
{
	u64 now = now_ns();
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	struct entered entered = {};
	if (!process || !leave(regs, COMPILE_PHP, pid_tgid, &entered))
		return 0;
	struct record *record = reserve(MAX_PATH);
	if (!record)
		return 0;
	returned(record, COMPILE, process->group, pid_tgid, now, &entered);
	record->number = COMPILE_PHP;
	record->result = entered.nested;
	record->first = compiled_path((u8 *)(record + 1), entered.subject);
	ring_submit(record, NO_WAKEUP);
	return 0;
}

// Thousands a request: only counted.
SEC("uprobe")
int php_class_lookup(struct pt_regs *regs)
{
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	if (process)
		count(pid_tgid >> 32, process->group, NUMBER_CLASS_LOOKUP, 0, 0);
	return 0;
}

// === Perl ===

SEC("uprobe")
int perl_parse(struct pt_regs *regs)
{
	struct entered entered = {};
	return enter(regs, COMPILE_PERL, &entered);
}

SEC("uretprobe")
int perl_parsed(struct pt_regs *regs)
{
	u64 now = now_ns();
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	struct entered entered = {};
	if (!process || !leave(regs, COMPILE_PERL, pid_tgid, &entered))
		return 0;
	struct record *record = reserve(0);
	if (!record)
		return 0;
	returned(record, COMPILE, process->group, pid_tgid, now, &entered);
	record->number = COMPILE_PERL;
	record->result = entered.nested;
	ring_submit(record, NO_WAKEUP);
	return 0;
}

// === SQLite ===

// sqlite3_prepare, _v2: (db, text, length or −1, where the statement goes, …); _v3 has flags before that.
inline_always int prepare(struct pt_regs *regs, u64 where)
{
	struct entered entered = {
		.subject = where,
		.text = ARGUMENT_2(regs),
		.text_length = ARGUMENT_3(regs),
	};
	return enter(regs, SQLITE_PREPARE, &entered);
}

SEC("uprobe")
int sqlite_prepare(struct pt_regs *regs)
{
	return prepare(regs, ARGUMENT_4(regs));
}

SEC("uprobe")
int sqlite_prepare_v3(struct pt_regs *regs)
{
	return prepare(regs, ARGUMENT_5(regs));
}

#define SHORT_TEXT 512

// The text into a record with room for `room` bytes; 0 if it is as long as the room and more would fit.
inline_always int prepared(struct pt_regs *regs, struct entered *entered, u32 group, u64 pid_tgid, u64 now, u32 room)
{
	struct record *record = ring_reserve(&events, sizeof(struct record) + room, 0);
	if (!record) {
		lose();
		return 1;
	}
	returned(record, PREPARE, group, pid_tgid, now, entered);
	record->result = (s32)RESULT(regs);
	read_user(&record->arguments[0], sizeof(u64), (void *)entered->subject);
	long length = read_user_text(record + 1, room, (void *)entered->text);
	if (room < MAX_PAYLOAD && length == room) {
		ring_discard(record, NO_WAKEUP);
		return 0;
	}
	u64 bytes = length > 0 ? length - 1 : 0;
	if (entered->text_length < bytes) // −1, as a number without sign, is more than anything
		bytes = entered->text_length;
	record->second = bytes;
	ring_submit(record, NO_WAKEUP);
	return 1;
}

SEC("uretprobe")
int sqlite_prepared(struct pt_regs *regs)
{
	u64 now = now_ns();
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	struct entered entered = {};
	if (!process || !leave(regs, SQLITE_PREPARE, pid_tgid, &entered))
		return 0;
	u32 group = process->group;
	if (!prepared(regs, &entered, group, pid_tgid, now, SHORT_TEXT))
		prepared(regs, &entered, group, pid_tgid, now, MAX_PAYLOAD);
	return 0;
}

SEC("uprobe")
int sqlite_step(struct pt_regs *regs)
{
	struct entered entered = {.subject = ARGUMENT_1(regs)};
	return enter(regs, SQLITE_STEP, &entered);
}

SEC("uretprobe")
int sqlite_stepped(struct pt_regs *regs)
{
	u64 now = now_ns();
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	struct entered entered = {};
	if (!process || !leave(regs, SQLITE_STEP, pid_tgid, &entered))
		return 0;
	struct record *record = reserve(0);
	if (!record)
		return 0;
	returned(record, STEP, process->group, pid_tgid, now, &entered);
	record->result = (s32)RESULT(regs);
	ring_submit(record, NO_WAKEUP);
	return 0;
}

// sqlite3_reset and sqlite3_finalize.
SEC("uprobe")
int sqlite_reset(struct pt_regs *regs)
{
	u64 pid_tgid = current_ids();
	struct watched *process = watched_now(pid_tgid);
	if (!process || !ARGUMENT_1(regs))
		return 0;
	struct record *record = reserve(0);
	if (!record)
		return 0;
	begin(record, RESET, process->group, pid_tgid);
	record->at = now_ns();
	record->arguments[0] = ARGUMENT_1(regs);
	ring_submit(record, NO_WAKEUP);
	return 0;
}
