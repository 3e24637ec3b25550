# stop.py FILE SECONDS PHASE_NS COMMAND…: runs the command between its own stdin and stdout. Of the phases of this length
# that it has the agent begin it stops the first, the third and so on for so long, amid what it does before they begin,
# and writes a line into the file for each.
import os, signal, struct, subprocess, sys, threading, time

file, seconds, phase_ns = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
child = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE)


def varint(number):
    more = bytearray()
    while number > 127:
        more.append(number & 127 | 128)
        number >>= 7
    return bytes(more + bytes([number]))


def caller():
    # Between this and the program stands a shell, or none.
    pid = os.getppid()
    while os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "unladen":
        with open(f"/proc/{pid}/stat") as stat:
            pid = int(stat.read().rpartition(")")[2].split()[1])
    return pid


def relay(asked, to):
    # The line for the shell.
    to.write(asked.readline())
    to.flush()
    begun, is_measured = 0, False
    while len(head := asked.read(4)) == 4:
        body = asked.read(struct.unpack("<I", head)[0])
        to.write(head + body)
        to.flush()
        # Of what is asked the third kind is of a load; of that, the third is a plan, and the fourth has it begin.
        if body[:2] == b"\2\2":
            is_measured = varint(phase_ns) in body
        elif body[:2] == b"\2\3" and is_measured:
            begun += 1
            if begun % 2:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(seconds)
                os.kill(pid, signal.SIGCONT)
            with open(file, "a") as lines:
                lines.write("begun\n")
    to.close()


pid = caller()
asked = os.fdopen(0, "rb")
threading.Thread(target=relay, args=(asked, child.stdin), daemon=True).start()
sys.exit(child.wait())
