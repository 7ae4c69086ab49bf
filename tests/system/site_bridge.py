"""Plays the program of a site: writes the job's messages to the file HEARD, and sends the job what comes through the FIFO SAID."""
import sys
import threading

heard, said = sys.argv[1:]


def speak():
    while True:
        with open(said) as fifo:
            for line in fifo:
                print(line, end="", flush=True)


threading.Thread(target=speak, daemon=True).start()
with open(heard, "a") as log:
    for line in sys.stdin:
        log.write(line)
        log.flush()
