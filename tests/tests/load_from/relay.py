# relay.py HOW AMOUNT COMMAND…: runs the command between its own stdin and stdout.
#
# later SECONDS    passes all on, later, both ways
# narrow BYTES     passes on so many bytes a second of what the command says
# double, hide, swap, garbage NUMBER
#                  passes on all but the frames of records from this one on (counted from 0): it says that one twice,
#                  leaves it out, exchanges it with the next one, or says something that is no message
import os, queue, struct, subprocess, sys, threading, time

how, amount = sys.argv[1], float(sys.argv[2])
child = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def write_all(to, data):
    while data:
        data = data[os.write(to, data):]


def relay(source, to, delay):
    waiting = queue.Queue()

    def write():
        while True:
            due, data = waiting.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                os.close(to)
                return
            try:
                write_all(to, data)
            except OSError:
                return

    writer = threading.Thread(target=write)
    writer.start()
    while True:
        data = os.read(source, 65536)
        waiting.put((time.monotonic() + delay, data))
        if not data:
            return writer


def narrow(source, to, rate):
    # What comes before the load is of another kind: the way is as wide as any for it.
    wide = 4096
    while data := os.read(source, 256):
        wide -= len(data)
        if wide < 0:
            time.sleep(len(data) / rate)
        write_all(to, data)


def tamper(source, to, number):
    said = os.fdopen(source, "rb")
    # The lines of a shell, the last of which says that the agent runs.
    while line := said.readline():
        write_all(to, line)
        words = line.split()
        if len(words) > 1 and words[0].startswith(b"unladen-agent-") and words[1] == b"run":
            break
    load, records, held = None, 0, b""
    while len(head := said.read(4)) == 4:
        frame = head + said.read(struct.unpack("<I", head)[0])
        body = frame[4:]
        # Answers of a load: that it is started (0) has nothing behind; records are the fourth kind.
        if load is None and len(body) == 2 and body[1] == 0:
            load = body[0]
        if load is not None and body[:2] == bytes([load, 3]):
            if records == number:
                if how == "double":
                    frame += frame
                elif how == "hide":
                    frame = b""
                elif how == "garbage":
                    frame = struct.pack("<I", 40) + b"\xff" * 40
                elif how == "swap":
                    frame, held = b"", frame
            elif held:
                frame, held = frame + held, b""
            records += 1
        write_all(to, frame)


to = os.dup(child.stdin.fileno())
child.stdin.close()
there = threading.Thread(target=lambda: relay(0, to, amount if how == "later" else 0).join(), daemon=True)
there.start()
out = child.stdout.fileno()
if how == "later":
    relay(out, 1, amount).join()
elif how == "narrow":
    narrow(out, 1, amount)
else:
    tamper(out, 1, int(amount))
sys.exit(child.wait())
