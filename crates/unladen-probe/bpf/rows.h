// SPDX-License-Identifier: MIT OR Apache-2.0
// Rows that MySQL and MariaDB return. A receive holds thousands of packets, of which user space gets the last bytes; so packets
// are walked here, from head to head, over all receives of an answer.
//
// Source: MySQL's "Text Resultset", MariaDB's "Result Set Packets". Whether an end of the columns is sent
// (CLIENT_DEPRECATE_EOF) was agreed on when the connection began, which may not have been seen: its length tells.
#pragma once
#include "record.h"

#define HEAD 4 // of a packet: length, sequence
#define TOLD 4 // of its content: as much as a number of columns takes, and whether they are described
#define MAX_STEPS 256
#define MAX_ROUNDS 32
#define LARGE 0xffffff // goes on in the next packet

#define PACKET_OK 0x00
#define TWO_BYTES 0xfc
#define PACKET_FILE 0xfb
#define PACKET_EOF 0xfe
#define PACKET_ERROR 0xff

enum command {
	QUERY = 0x03,
	EXECUTE = 0x17,
	LONG_DATA = 0x18,
	STATEMENT_CLOSE = 0x19,
	FETCH = 0x1c,
	BULK_EXECUTE = 0xfa,
};

enum answer_state {
	UNREADABLE = 0,
	RESULT = 1,
	COLUMNS = 2,
	COLUMNS_END = 3,
	ROWS_OF_RESULT = 4,
};

struct answer {
	u32 unsent; // bytes of the command
	u32 left;   // bytes of the packet
	u32 at;     // bytes of this receive that were walked
	u32 columns;
	u32 rows; // that begin in this receive
	u8 head[2 * (HEAD + TOLD)];
	u8 have; // bytes of the head
	u8 sequence;
	u8 state;
	u8 begun; // something came
	u8 ended; // a result, in this receive
	u8 more;
	u8 unused[2];
};

// By socket.
struct {
	MAP_TYPE(MAP_LRU_HASH);
	MAP_MAX(8192);
	MAP_KEY(u64);
	MAP_VALUE(struct answer);
} answers SEC(".maps");

// A send. What only looks like a command begins a walk that user space ignores, as it knows the connection's protocol.
inline_always void on_command(u64 socket, u8 *sent, u32 seen, u64 total)
{
	struct answer *answer = map_lookup(&answers, &socket);
	if (answer && answer->unsent) {
		answer->unsent -= answer->unsent < total ? answer->unsent : total;
		return;
	}
	u32 length = sent[0] | sent[1] << 8 | sent[2] << 16;
	u8 command = sent[HEAD];
	struct answer next = {};
	if (seen > HEAD && !sent[3] && length + HEAD >= total) {
		next.unsent = length + HEAD - total;
		if (command == LONG_DATA || command == STATEMENT_CLOSE) { // have no answer
			if (answer)
				answer->unsent = next.unsent;
			return;
		}
		if (command == QUERY || command == EXECUTE || command == BULK_EXECUTE)
			next.state = RESULT;
		else if (command == FETCH)
			next.state = ROWS_OF_RESULT;
	}
	if (answer && !answer->begun)
		next.state = UNREADABLE; // sent without waiting: answers to both will follow
	if (answer || next.state)
		map_update(&answers, &socket, &next, ANY);
}

inline_always void on_packet(struct answer *answer, u32 length)
{
	u8 *body = answer->head + HEAD;
	u8 first = length ? body[0] : 0;
	u8 continues = answer->more;
	answer->more = length == LARGE;
	answer->sequence += 1;
	if (answer->head[3] != answer->sequence) {
		answer->state = UNREADABLE;
		return;
	}
	if (continues)
		return;
	switch (answer->state) {
	case RESULT:
		if (first == PACKET_OK || first == PACKET_FILE || first == PACKET_ERROR)
			return; // another result may follow
		answer->columns = first;
		u32 at = 1;
		if (first == TWO_BYTES) {
			answer->columns = body[1] | body[2] << 8;
			at = 3;
		}
		// MARIADB_CLIENT_CACHE_METADATA: a statement's columns are described once.
		answer->state = length > at && !body[at] ? COLUMNS_END : COLUMNS;
		return;
	case COLUMNS:
		answer->columns -= 1;
		if (!answer->columns)
			answer->state = COLUMNS_END;
		return;
	case COLUMNS_END:
		answer->state = ROWS_OF_RESULT;
		if (first == PACKET_EOF && length == 5)
			return;
	}
	// Of a row, 0xfe begins a text of 16 MiB, whose packet is large.
	if (first == PACKET_ERROR || (first == PACKET_EOF && length < LARGE)) {
		answer->state = RESULT;
		answer->ended = 1;
	} else {
		answer->rows += 1;
	}
}

// Walks some packets of a receive; 0 at its end. Global, so that the verifier looks at it once.
__attribute__((noinline)) int walk(u64 socket, u64 base, u32 length)
{
	struct answer *answer = map_lookup(&answers, &socket);
	if (!answer)
		return 0;
	for (u32 i = 0; i < MAX_STEPS; i++) {
		u32 at = answer->at;
		if (at >= length || answer->state == UNREADABLE)
			return 0;
		u32 skip = answer->left < length - at ? answer->left : length - at;
		answer->left -= skip;
		at += skip;
		u32 take = length - at;
		u32 have = answer->have;
		if (have >= HEAD + TOLD)
			return 0;
		if (take > HEAD + TOLD - have)
			take = HEAD + TOLD - have;
		barrier(take);
		barrier(have);
		if (take > HEAD + TOLD || have >= HEAD + TOLD)
			return 0;
		answer->at = length;
		if (!take)
			return 0;
		if (read_user(answer->head + have, take, (void *)(base + at))) {
			answer->state = UNREADABLE;
			return 0;
		}
		u32 packet = answer->head[0] | answer->head[1] << 8 | answer->head[2] << 16;
		u32 told = packet < TOLD ? packet : TOLD;
		if (have + take < HEAD || have + take < HEAD + told) {
			answer->have = have + take;
			return 0;
		}
		answer->at = at + HEAD + told - have;
		answer->left = packet - told;
		answer->have = 0;
		on_packet(answer, packet);
	}
	return 1;
}

// A receive into one buffer. Returns whether rows came, or an end of them.
function int on_answer(u64 socket, u64 base, u32 length, u32 *rows)
{
	struct answer *answer = map_lookup(&answers, &socket);
	if (!answer)
		return 0;
	answer->at = 0;
	answer->rows = 0;
	answer->ended = 0;
	u32 round = 0;
	while (round < MAX_ROUNDS && walk(socket, base, length))
		round += 1;
	answer->begun = 1;
	if (round == MAX_ROUNDS)
		answer->state = UNREADABLE;
	*rows = answer->rows;
	return answer->rows || answer->ended;
}
