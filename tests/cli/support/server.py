"""A web server for tests: server.py FOLDER PORT_FILE LOG [CERTIFICATE KEY]

Serves the folder on loopback, with TLS where there is a certificate, until it is killed. Writes its
port to PORT_FILE, and a line to LOG for each connection that arrives. /to/URL leads on to URL.
"""

import functools
import http.server
import os
import ssl
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path[len("/to/") :])
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def get_request(self):
        client, address = self.socket.accept()
        with open(sys.argv[3], "a", encoding="utf-8") as log:
            log.write("connection\n")
        if len(sys.argv) <= 4:
            return client, address
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[4], sys.argv[5])
        return context.wrap_socket(client, server_side=True), address

    def handle_error(self, request, client_address):
        pass


def main():
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
    open(sys.argv[3], "w", encoding="utf-8").close()
    with open(sys.argv[2] + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.serve_forever()


main()
