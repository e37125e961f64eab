package dev.millrace.http;

import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Many clients of one server, each with a connection of its own, all on one thread. */
public final class IdleClients implements AutoCloseable {
  private final List<Socket> sockets = new ArrayList<>();

  /** Connects, and sends a {@code GET} on each connection. */
  public IdleClients(HttpService service, int many, String target) throws IOException {
    byte[] request =
        ("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < many; i++) {
      Socket socket = new Socket(service.address().getAddress(), service.address().getPort());
      sockets.add(socket);
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request);
    }
  }

  /** Reads until each client has got this text. */
  public void read(String text) throws IOException {
    byte[] buffer = new byte[16 << 10];
    for (Socket socket : sockets) {
      StringBuilder read = new StringBuilder();
      while (read.indexOf(text) < 0) {
        int count = socket.getInputStream().read(buffer);
        if (count < 0) {
          throw new EOFException("the stream ended after " + read);
        }
        read.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
      }
    }
  }

  /** The platform threads of this process; virtual ones are not among them. */
  public static int platformThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
