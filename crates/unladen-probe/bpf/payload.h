// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes of what a process sends and receives, gathered from its memory after the call: it is resident then.
#pragma once
#include "record.h"

#define MAX_PIECES 8

// A record in the making. Room for one more piece than fits: the verifier bounds where a piece begins and how long it is each
// by itself.
struct scratch {
	struct record record;
	u8 data[MAX_NAME + MAX_PAYLOAD + MAX_PAYLOAD];
};

struct iovec {
	u64 base;
	u64 length;
};

struct msghdr {
	u64 name;
	u32 name_length;
	u32 padding;
	u64 pieces;
	u64 piece_count;
	u64 control;
	u64 control_length;
	u32 flags;
	u32 padding_too;
};

struct mmsghdr {
	struct msghdr message;
	u32 length;
	u32 padding;
};

// What is wanted of what was transferred.
struct wanted {
	u64 skip;
	u32 bytes;
	u32 at; // where they go in scratch.data
};

function int take_piece(struct scratch *scratch, struct wanted *wanted, u64 base, u64 length)
{
	if (wanted->skip >= length) {
		wanted->skip -= length;
		return 0;
	}
	u64 left = length - wanted->skip;
	u32 bytes = wanted->bytes;
	if (bytes > left)
		bytes = left;
	u32 at = wanted->at;
	barrier(bytes);
	barrier(at);
	if (bytes > MAX_PAYLOAD || at > MAX_NAME + MAX_PAYLOAD)
		return 1;
	if (read_user(scratch->data + at, bytes, (void *)(base + wanted->skip)))
		return 1;
	wanted->skip = 0;
	wanted->bytes -= bytes;
	wanted->at = at + bytes;
	return 0;
}

function int take_pieces(struct scratch *scratch, struct wanted *wanted, u64 pieces, u64 count)
{
	for (u32 i = 0; i < MAX_PIECES; i++) {
		struct iovec piece = {};
		if (i >= count || !wanted->bytes)
			break;
		if (read_user(&piece, sizeof(piece), (void *)(pieces + i * sizeof(piece))))
			break;
		if (take_piece(scratch, wanted, piece.base, piece.length))
			break;
	}
	return 0;
}

// Where a receive into several buffers is, if one of them took it all; else NULL, which cannot be read.
inline_always u64 first_piece(u64 pieces, u64 length)
{
	struct iovec piece = {};
	read_user(&piece, sizeof(piece), (void *)pieces);
	return piece.length < length ? 0 : piece.base;
}
