"""A web server for one file that falls silent: stalling_server.py FILE BYTES PORT_FILE

Sends so many bytes of the file, none at all for 0, and then nothing until the client has gone. Writes
its port to PORT_FILE.
"""

import os
import socket
import sys


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    size = int(sys.argv[2])
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(60)
    with open(sys.argv[3] + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.getsockname()[1]))
    os.rename(sys.argv[3] + ".new", sys.argv[3])
    client, _ = server.accept()
    client.settimeout(60)
    client.recv(65536)
    if size:
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode() + data[:size])
    while client.recv(65536):
        pass


main()
