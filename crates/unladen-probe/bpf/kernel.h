// SPDX-License-Identifier: MIT OR Apache-2.0
// The fields of kernel structures that are read. Only names and types count: libbpf finds their places in the running kernel.
#pragma once
#include "bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r10, r9, r8, ax, cx, dx, si, di, sp;
};
struct thread_info {
	u32 status;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 orig_x0;
};
struct thread_info {
	unsigned long flags;
};
#else
#error "this processor is not known: x86_64 and arm64 are"
#endif

struct qstr {
	unsigned char *name;
};

struct inode {
	unsigned short i_mode;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct sched_info {
	u64 run_delay;
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_info sched_info;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct files_struct *files;
	struct signal_struct *signal;
};

struct linux_binprm {
	char *filename;
};

struct in6_addr {
	union {
		u8 u6_addr8[16];
	} in6_u;
};

struct sock_common {
	u32 skc_daddr;
	u16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
};

struct socket {
	struct sock *sk;
};

struct sockaddr_un {
	u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

#pragma clang attribute pop
