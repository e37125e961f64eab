package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.CallHandler;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Peers on loopback sockets without any key, and the bytes that each sent. */
final class LoopbackPeers implements PeerCalls, AutoCloseable {
  /** A peer that answers, and what it sent so far. */
  record Answering(ModelSource peer, AtomicLong sent) {}

  private final List<ServerSocket> sockets = new ArrayList<>();

  Answering peer(String name, CallHandler handler) throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    sockets.add(socket);
    AtomicLong sent = new AtomicLong();
    Thread.ofVirtual().start(() -> accept(socket, handler, sent));
    return new Answering(
        new ModelSource(name, new HostPort("127.0.0.1", socket.getLocalPort())), sent);
  }

  private static void accept(ServerSocket socket, CallHandler handler, AtomicLong sent) {
    try {
      while (true) {
        Socket one = socket.accept();
        Thread.ofVirtual().start(() -> answer(one, handler, sent));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void answer(Socket socket, CallHandler handler, AtomicLong sent) {
    try (socket) {
      OutputStream counted =
          new FilterOutputStream(socket.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
              out.write(bytes, from, length);
              sent.addAndGet(length);
            }
          };
      handler.answer(
          "caller",
          new DataInputStream(new BufferedInputStream(socket.getInputStream())),
          new DataOutputStream(new BufferedOutputStream(counted)));
    } catch (IOException e) {
      // The caller went.
    }
  }

  @Override
  public void call(HostPort at, Exchange talk) throws IOException {
    try (Socket socket = new Socket(at.host(), at.port())) {
      socket.setSoTimeout(10_000);
      talk.exchange(
          new DataInputStream(new BufferedInputStream(socket.getInputStream())),
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream())));
    }
  }

  @Override
  public void close() throws IOException {
    for (ServerSocket socket : sockets) {
      socket.close();
    }
  }
}
