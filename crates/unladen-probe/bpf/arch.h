// SPDX-License-Identifier: MIT OR Apache-2.0
// What differs between processors: where arguments are, and how 32-bit system calls are told.
#pragma once
#include "kernel.h"

#if defined(__TARGET_ARCH_x86)

// Linux keeps the arguments of a system call in pt_regs until it returns; only ax is replaced.
inline_always void call_arguments(u64 *to, struct pt_regs *regs)
{
	to[0] = regs->di;
	to[1] = regs->si;
	to[2] = regs->dx;
	to[3] = regs->r10;
	to[4] = regs->r8;
	to[5] = regs->r9;
}

#define ARGUMENT_1(regs) ((regs)->di)
#define ARGUMENT_2(regs) ((regs)->si)
#define ARGUMENT_3(regs) ((regs)->dx)
#define ARGUMENT_4(regs) ((regs)->cx)
#define ARGUMENT_5(regs) ((regs)->r8)
#define RESULT(regs) ((regs)->ax)
#define STACK_AT_ENTRY(regs) ((u64)(regs)->sp)
// The return took the return address off the stack.
#define STACK_AT_RETURN(regs) ((u64)(regs)->sp - 8)

#define CALL_CLOSE 3

// Calls that the kernel puts into a process in order to trace it: a function's return since 6.11, its entry since 6.18.
#define CALL_URETPROBE 335
#define CALL_UPROBE 336
inline_always int is_call_of_tracing(u64 number)
{
	return number == CALL_URETPROBE || number == CALL_UPROBE;
}

#define TS_COMPAT 2
inline_always int is_32_bit_call(struct task_struct *task)
{
	return get(task, thread_info.status) & TS_COMPAT;
}

#else

inline_always void call_arguments(u64 *to, struct pt_regs *regs)
{
	to[0] = regs->orig_x0; // regs[0] is the result by now
	to[1] = regs->regs[1];
	to[2] = regs->regs[2];
	to[3] = regs->regs[3];
	to[4] = regs->regs[4];
	to[5] = regs->regs[5];
}

#define ARGUMENT_1(of) ((of)->regs[0])
#define ARGUMENT_2(of) ((of)->regs[1])
#define ARGUMENT_3(of) ((of)->regs[2])
#define ARGUMENT_4(of) ((of)->regs[3])
#define ARGUMENT_5(of) ((of)->regs[4])
#define RESULT(of) ((of)->regs[0])
#define STACK_AT_ENTRY(of) ((of)->sp)
#define STACK_AT_RETURN(of) ((of)->sp)

#define CALL_CLOSE 57

inline_always int is_call_of_tracing(u64 number)
{
	return 0;
}

#define TIF_32BIT 22
inline_always int is_32_bit_call(struct task_struct *task)
{
	return get(task, thread_info.flags) >> TIF_32BIT & 1;
}

#endif
