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
 * A process of many clients that follow one job, each on a connection of its own, all on one
 * thread. It has a table of open files of its own, beside that of the server.
 *
 * <p>Arguments: port, path, how many, a file to make when all have an event, a file for what was
 * seen: how many got every event once and in order, the last id, and how many milliseconds there
 * were between the first and the last client to get each event, at most.
 */
final class ManySseClients {
  private final List<Member> members = new ArrayList<>();
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
    ManySseClients crowd = new ManySseClients(Path.of(args[3]));
    String report =
        crowd.follow(
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
        Member member = new Member();
        members.add(member);
        open++;
        channel.register(selector, SelectionKey.OP_READ, member);
      }
      while (open > 0) {
        selector.select(this::read);
      }
    }
    long whole = members.stream().filter(member -> member.whole).count();
    long spread = 0;
    for (int i = 1; i < firstSeen.size(); i++) { // the first came as each connected
      spread = Math.max(spread, lastSeen.get(i) - firstSeen.get(i));
    }
    return whole + " " + firstSeen.size() + " " + spread / 1_000_000;
  }

  private void read(SelectionKey key) {
    Member member = (Member) key.attachment();
    try {
      buffer.clear();
      int count = ((SocketChannel) key.channel()).read(buffer);
      buffer.flip();
      while (buffer.hasRemaining() && !member.ended) {
        member.take((char) buffer.get());
      }
      if (count < 0 || member.ended) {
        open--;
        key.channel().close();
      }
    } catch (IOException e) {
      open--;
      key.cancel();
    }
  }

  private void seen(int id) {
    long now = System.nanoTime();
    if (id > firstSeen.size()) {
      firstSeen.add(now);
      lastSeen.add(now);
    }
    lastSeen.set(id - 1, now);
    if (id == 1 && ++started == members.size()) {
      try {
        Files.createFile(ready);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** What one client has understood so far. Events are never split over chunks of HTTP here. */
  private final class Member {
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
        seen(id);
      } else if (text.startsWith("data: {\"state\":\"success\"")) {
        ended = true;
      }
    }
  }
}
