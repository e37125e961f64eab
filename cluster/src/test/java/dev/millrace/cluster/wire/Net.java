package dev.millrace.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Switchboards on loopback, closed together; after that no thread of theirs may be left. */
final class Net implements AutoCloseable {
  static final HostPort LOOPBACK = new HostPort("127.0.0.1", 0);
  static final Doorman OPEN = hello -> null;

  final SSLContext tls = NetworkKey.generate().tls();
  final WireSettings settings;
  private final List<Runnable> open = new ArrayList<>();

  Net() {
    this(WireSettings.DEFAULTS);
  }

  Net(WireSettings settings) {
    this.settings = settings;
  }

  Switchboard open(String name, Receiver receiver) {
    return open(name, 1, tls, OPEN, receiver);
  }

  Switchboard open(
      String name, long incarnation, SSLContext tls, Doorman doorman, Receiver receiver) {
    return open(new Identity(name, incarnation, tls, false), doorman, receiver);
  }

  Switchboard open(Identity identity, Doorman doorman, Receiver receiver) {
    Switchboard board = Switchboard.open(identity, LOOPBACK, settings, doorman, receiver);
    open.add(board::close);
    return board;
  }

  static Message text(String text) {
    return new Message(
        Message.Kind.FRAME, 7, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  static void eventually(Runnable holds) {
    await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).untilAsserted(holds::run);
  }

  @Override
  public void close() {
    open.reversed().forEach(Runnable::run);
    eventually(
        () ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.matches("millrace-(accept|link)-.*")));
  }
}
