package dev.millrace.http.so1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Many clients that follow one job, each on its own connection, all on one thread. It runs as a
 * process of its own, because the server needs all open files of its process.
 *
 * <p>Arguments: port, path, number of clients, a file to create when all have an event, a file for
 * the report. The report has the number of clients that got every event once and in order, the last
 * id, and the most milliseconds between the first and the last client to get an event.
 */
final class ManySseClients {
  private final List<Client> clients = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
  private final List<Long> firstSeen = new ArrayList<>();
  private final List<Long> lastSeen = new ArrayList<>();
  private final Path ready;
  private int started;
  private int open;

  private ManySseClients(Path ready) {
    this.ready = ready;
  }

  public static void main(String[] args) throws IOException {
    ManySseClients process = new ManySseClients(Path.of(args[3]));
    String report =
        process.follow(
            new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])),
            args[1],
            Integer.parseInt(args[2]));
    Files.writeString(Path.of(args[4]), report);
  }

  private String follow(InetSocketAddress server, String path, int many) throws IOException {
    byte[] request =
        ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.UTF_8);
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < many; i++) {
        SocketChannel channel = SocketChannel.open(server);
        channel.write(ByteBuffer.wrap(request));
        channel.configureBlocking(false);
        Client client = new Client();
        clients.add(client);
        open++;
        channel.register(selector, SelectionKey.OP_READ, client);
      }
      while (open > 0) {
        selector.select(this::read);
      }
    }
    long whole = clients.stream().filter(client -> client.whole).count();
    long spread = 0;
    for (int i = 1; i < firstSeen.size(); i++) { // the first event comes with each connection
      spread = Math.max(spread, lastSeen.get(i) - firstSeen.get(i));
    }
    return whole + " " + firstSeen.size() + " " + spread / 1_000_000;
  }

  private void read(SelectionKey key) {
    Client client = (Client) key.attachment();
    try {
      buffer.clear();
      int count = ((SocketChannel) key.channel()).read(buffer);
      buffer.flip();
      while (buffer.hasRemaining() && !client.ended) {
        client.take((char) buffer.get());
      }
      if (count < 0 || client.ended) {
        open--;
        key.channel().close();
      }
    } catch (IOException e) {
      open--;
      key.cancel();
    }
  }

  private void record(int id) {
    long now = System.nanoTime();
    if (id > firstSeen.size()) {
      firstSeen.add(now);
      lastSeen.add(now);
    }
    lastSeen.set(id - 1, now);
    if (id == 1 && ++started == clients.size()) {
      try {
        Files.createFile(ready);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The state of one client. Events are never split over HTTP chunks here. */
  private final class Client {
    private final StringBuilder line = new StringBuilder();
    private int last;
    private boolean whole = true;
    private boolean ended;

    void take(char c) {
      if (c != '\n') {
        line.append(c);
        return;
      }
      String text = line.toString();
      line.setLength(0);
      if (text.startsWith("id: ")) {
        int id = Integer.parseInt(text.substring(4));
        whole &= id == ++last;
        record(id);
      } else if (text.startsWith("data: {\"state\":\"success\"")) {
        ended = true;
      }
    }
  }
}
