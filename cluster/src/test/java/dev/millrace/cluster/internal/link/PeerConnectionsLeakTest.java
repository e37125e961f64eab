package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.millrace.cluster.internal.link.LoopbackConnections.LinkedPair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Closed connections leave no thread and no socket. */
@Timeout(60)
final class PeerConnectionsLeakTest {
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  @TempDir Path directory;

  @Test
  void noThreadAndNoSocketStaysAfterClose() throws Exception {
    assumeTrue(Files.isDirectory(OPEN_FILES), "open files are counted in /proc");
    round();
    long before = sockets();
    for (int i = 0; i < 5; i++) {
      round();
    }
    eventually(() -> assertThat(sockets()).isLessThanOrEqualTo(before));
    eventually(() -> assertThat(threads()).isEmpty());
  }

  /** Links both ways, a running call, an unknown connection, and a close. */
  private void round() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      PeerConnections a = pair.a();
      PeerConnections b = pair.b();
      a.send("b", text("x"));
      b.send("a", text("y"));
      CountDownLatch called = new CountDownLatch(1);
      b.handleCalls(
          "wait",
          (from, in, out) -> {
            called.countDown();
            in.readInt();
          });
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () ->
                      assertThatThrownBy(
                              () ->
                                  a.call(
                                      b.address(),
                                      "wait",
                                      Duration.ofSeconds(30),
                                      (in, out) -> in.readInt()))
                          .hasMessage(b.address() + " ended the call \"wait\" early"));
      called.await();
      try (Socket unknown = new Socket(b.address().host(), b.address().port())) {
        unknown.getOutputStream().write(22);
        eventually(() -> assertThat(pair.atA().texts).hasSize(1));
        eventually(() -> assertThat(pair.atB().texts).hasSize(1));
        eventually(() -> assertThat(b.connectionsWithoutLink()).isEqualTo(2));
        for (String kind : List.of("accept", "link", "inbound", "call", "deadline")) {
          eventually(
              () -> assertThat(threads()).anyMatch(line -> line.contains("millrace-" + kind)));
        }
        b.close();
      }
      caller.join();
      eventually(() -> assertThat(pair.atA().lost).hasSize(1));
    }
  }

  private static long sockets() {
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      return files.filter(PeerConnectionsLeakTest::isSocket).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSocket(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().startsWith("socket:");
    } catch (IOException e) {
      return false;
    }
  }

  /** Ours, the virtual ones too. */
  private List<String> threads() {
    try {
      Path dump = Files.createTempFile(directory, "threads", ".txt");
      Files.delete(dump);
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
      try (Stream<String> lines = Files.lines(dump)) {
        return lines
            .filter(line -> line.matches("#\\d+ \"millrace-(accept|link|inbound|call|deadline).*"))
            .toList();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
