// SPDX-License-Identifier: MIT OR Apache-2.0
// What stands behind a descriptor: the file's name, the socket's peer.
#pragma once
#include "record.h"

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFREG 0100000
#define S_IFIFO 0010000

#define SOCK_STREAM 1
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10

#define MAX_UNIX_PATH 108
#define SOCKADDR_UN_PATH 2

inline_always struct file *file_of(u64 fd)
{
	struct task_struct *task = (void *)current_task();
	struct files_struct *files = get(task, files);
	struct fdtable *table = get(files, fdt);
	if ((u32)fd >= get(table, max_fds))
		return NULL;
	struct file **all = get(table, fd);
	struct file *file = NULL;
	read_kernel(&file, sizeof(file), &all[(u32)fd]);
	return file;
}

inline_always void describe_inet(struct object *object, struct sock *sk)
{
	object->peer_port = get(sk, __sk_common.skc_dport);
	object->own_port = get(sk, __sk_common.skc_num);
	if (object->family == AF_INET)
		read_kernel(object->peer, 4, &sk->__sk_common.skc_daddr);
	else
		read_kernel(object->peer, 16, &sk->__sk_common.skc_v6_daddr);
}

// Returns the length of the peer's path, which it puts into name.
inline_always u32 describe_unix(struct object *object, struct sock *sk, u8 *name)
{
	struct unix_sock *own = (void *)sk;
	if (get(own, addr))
		object->flags |= OWN_NAME;
	struct unix_sock *peer = (void *)get(own, peer);
	if (!peer)
		return 0;
	struct unix_address *address = get(peer, addr);
	if (!address)
		return 0;
	u32 length = get(address, len);
	if (length <= SOCKADDR_UN_PATH)
		return 0;
	length -= SOCKADDR_UN_PATH;
	if (length > MAX_UNIX_PATH)
		length = MAX_UNIX_PATH;
	return read_kernel(name, length, &address->name[0].sun_path) ? 0 : length;
}

// Returns the length of the name.
inline_always u32 describe_socket(struct object *object, struct sock *sk, u8 *name)
{
	object->kind = OBJECT_SOCKET;
	object->id = (u64)sk;
	object->family = get(sk, __sk_common.skc_family);
	object->type = get(sk, sk_type);
	if (object->family == AF_INET || object->family == AF_INET6)
		describe_inet(object, sk);
	else if (object->family == AF_UNIX)
		return describe_unix(object, sk, name);
	return 0;
}

// Needs MAX_NAME bytes for the name; returns how many it has.
function u32 describe(struct object *object, u64 fd, u8 *name)
{
	struct file *file = file_of(fd);
	if (!file)
		return 0;
	u16 mode = get(file, f_inode) ? get(get(file, f_inode), i_mode) & S_IFMT : 0;
	if (mode == S_IFSOCK) {
		struct socket *socket = get(file, private_data);
		struct sock *sk = get(socket, sk);
		return sk ? describe_socket(object, sk, name) : 0;
	}
	if (mode == S_IFIFO) {
		object->kind = OBJECT_PIPE;
		return 0;
	}
	if (mode != S_IFREG) {
		object->kind = OBJECT_OTHER;
		return 0;
	}
	object->kind = OBJECT_FILE;
	object->id = (u64)file;
	struct dentry *entry = get(file, f_path.dentry);
	long length = read_kernel_text(name, MAX_NAME, get(entry, d_name.name));
	return length > 0 ? length - 1 : 0; // it ends with a zero
}

// The address that a process gave instead of the socket's own peer. Returns the length of the name.
function u32 describe_address(struct object *object, u64 address, u64 length, u8 *name, u32 named)
{
	struct {
		u16 family;
		u16 port;
		u32 v4;
	} inet = {};
	if (!address || !length || read_user(&inet, sizeof(inet.family), (void *)address))
		return named;
	if (inet.family == AF_UNIX) {
		object->family = AF_UNIX;
		if (length <= SOCKADDR_UN_PATH)
			return 0;
		length -= SOCKADDR_UN_PATH;
		if (length > MAX_UNIX_PATH)
			length = MAX_UNIX_PATH;
		u32 bytes = length;
		barrier(bytes);
		if (bytes > MAX_UNIX_PATH)
			return 0;
		return read_user(name, bytes, (void *)(address + SOCKADDR_UN_PATH)) ? 0 : bytes;
	}
	if (inet.family != AF_INET && inet.family != AF_INET6)
		return named;
	if (read_user(&inet, sizeof(inet), (void *)address))
		return named;
	object->family = inet.family;
	object->peer_port = inet.port;
	if (inet.family == AF_INET)
		*(u32 *)object->peer = inet.v4;
	else
		read_user(object->peer, 16, (void *)(address + 8)); // after port and flow label
	return 0;
}
