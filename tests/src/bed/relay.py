"""plain NAME…: these interfaces leave checksums and segments to nobody. relay A B DELAY JITTER: what comes to A leaves by B,
and the other way round, so many seconds later, more or less, and in order."""
import ctypes, fcntl, os, random, select, socket, struct, sys, time
from collections import deque

# linux/sockios.h, linux/ethtool.h: checksums, scattered data, segments of TCP and of all.
SIOCETHTOOL, FEATURES = 0x8946, (0x17, 0x19, 0x1F, 0x24)
# linux/if_packet.h, linux/if_ether.h, asm/socket.h
SOL_PACKET, PACKET_IGNORE_OUTGOING, ETH_P_ALL, SO_RCVBUFFORCE = 263, 23, 3, 33
# As much as a queue of an interface would take: what comes beyond is lost.
MOST = 50_000


def plain(names):
    any_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for name in names:
        for feature in FEATURES:
            value = ctypes.create_string_buffer(struct.pack("II", feature, 0))
            fcntl.ioctl(any_socket, SIOCETHTOOL, struct.pack("16sP", name.encode(), ctypes.addressof(value)))


def relay(names, delay, jitter):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass
    ends = []
    for name in names:
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        end.bind((name, ETH_P_ALL))
        end.setblocking(False)
        ends.append(end)
    waiting, last = (deque(), deque()), [0.0, 0.0]
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        for way, queue in enumerate(waiting):
            while queue and queue[0][0] <= now:
                try:
                    ends[1 - way].send(queue.popleft()[1])
                except OSError:
                    # The interface is down.
                    pass
        due = [queue[0][0] for queue in waiting if queue]
        readable, _, _ = select.select(ends, [], [], max(0.0, min(due) - time.monotonic()) if due else None)
        now = time.monotonic()
        for end in readable:
            way = ends.index(end)
            for _ in range(64):
                try:
                    frame = end.recv(1 << 16)
                except OSError:
                    # There is no more, or the interface went down.
                    break
                last[way] = max(last[way], now + random.uniform(delay - jitter, delay + jitter))
                if len(waiting[way]) < MOST:
                    waiting[way].append((last[way], frame))


if sys.argv[1] == "plain":
    plain(sys.argv[2:])
else:
    relay(sys.argv[2:4], float(sys.argv[4]), float(sys.argv[5]))
