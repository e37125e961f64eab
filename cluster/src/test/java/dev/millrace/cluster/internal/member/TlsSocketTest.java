package dev.millrace.cluster.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.NetworkKey;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TlsSocketTest {
  private static final Duration HANDSHAKE = Duration.ofSeconds(30);
  private static SSLContext tls;

  @BeforeAll
  static void makeKey() {
    tls = NetworkKey.generate().tls();
  }

  @Test
  void bytesArriveWholeAndInOrder() throws Exception {
    byte[] bytes = new byte[3_000_000];
    new Random(7).nextBytes(bytes);
    try (ServerSocket server = new TlsServerSocket(tls, HANDSHAKE)) {
      server.bind(null);
      CompletableFuture<byte[]> received =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = server.accept()) {
                  return socket.getInputStream().readNBytes(bytes.length);
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      Socket socket = dial(server);
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i < bytes.length; i += 50_000) {
        out.write(bytes, i, 50_000);
      }
      assertThat(received.join()).isEqualTo(bytes);
      socket.close();
      assertThat(socket.isClosed()).isTrue();
    }
  }

  @Test
  void aNodeThatNeverAnswersDelaysNoOther() throws Exception {
    try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket socket = dial(frozen)) {
      OutputStream out = socket.getOutputStream();
      byte[] chunk = new byte[1 << 20];
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 20; i++) {
                  out.write(chunk);
                }
              })
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("the other side does not read");
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void handshakesThatDoNotEndAreGivenUp() throws Exception {
    try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket socket = dial(frozen, Duration.ofSeconds(1))) {
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
      assertThat(socket.isClosed()).isTrue();
    }
  }

  @Test
  void anotherKeyIsNotAccepted() throws Exception {
    try (ServerSocket server = new TlsServerSocket(NetworkKey.generate().tls(), HANDSHAKE)) {
      server.bind(null);
      try (Socket socket = dial(server)) {
        assertThatThrownBy(() -> socket.getInputStream().read())
            .isInstanceOf(SocketException.class)
            .hasMessageContaining("certificate");
      }
    }
  }

  private static Socket dial(ServerSocket to) throws Exception {
    return dial(to, HANDSHAKE);
  }

  private static Socket dial(ServerSocket to, Duration handshake) throws Exception {
    Socket socket = new TlsSocket(tls, handshake);
    InetAddress here = InetAddress.getLoopbackAddress();
    socket.connect(new InetSocketAddress(here, to.getLocalPort()), 30_000);
    return socket;
  }
}
