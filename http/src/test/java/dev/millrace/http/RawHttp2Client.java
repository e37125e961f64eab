package dev.millrace.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An HTTP/2 client that sends any frames, valid or not (RFC 9113, 4.1). */
final class RawHttp2Client implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;
  static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Socket socket;
  private final DataInputStream in;

  private RawHttp2Client(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    socket.setSoTimeout(20_000);
  }

  /** Connects with HTTP/2 directly. */
  static RawHttp2Client to(HttpService service) throws IOException {
    return over(new Socket("127.0.0.1", service.address().getPort()));
  }

  static RawHttp2Client over(Socket socket) throws IOException {
    RawHttp2Client frames = new RawHttp2Client(socket);
    frames.write(PREFACE);
    return frames.send(SETTINGS, 0, 0, new byte[0]);
  }

  /** Connects with HTTP/1 and asks for an upgrade; sends the preface with the request. */
  static RawHttp2Client upgraded(HttpService service, byte[] atOnce) throws IOException {
    RawHttp2Client frames =
        new RawHttp2Client(new Socket("127.0.0.1", service.address().getPort()));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(
        ("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(PREFACE);
    out.writeBytes(frame(SETTINGS, 0, 0, new byte[0]));
    out.writeBytes(atOnce);
    frames.write(out.toByteArray());
    return frames;
  }

  static byte[] frame(int type, int flags, int stream, byte[] payload) {
    byte[] frame = new byte[9 + payload.length];
    frame[0] = (byte) (payload.length >> 16);
    frame[1] = (byte) (payload.length >> 8);
    frame[2] = (byte) payload.length;
    frame[3] = (byte) type;
    frame[4] = (byte) flags;
    frame[5] = (byte) (stream >> 24);
    frame[6] = (byte) (stream >> 16);
    frame[7] = (byte) (stream >> 8);
    frame[8] = (byte) stream;
    System.arraycopy(payload, 0, frame, 9, payload.length);
    return frame;
  }

  /** A header with names of the static table only (RFC 7541, A and 6.2.2). */
  static byte[] header(String method, String path, String... more) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    field(out, 2, method); // :method
    out.write(0x86); // :scheme: http
    field(out, 4, path); // :path
    field(out, 1, "localhost"); // :authority
    for (int i = 0; i < more.length; i += 2) {
      out.write(0);
      text(out, more[i]);
      text(out, more[i + 1]);
    }
    return out.toByteArray();
  }

  private static void field(ByteArrayOutputStream out, int name, String value) {
    out.write(name);
    text(out, value);
  }

  /** Not compressed; a length of 127 or more takes several bytes (RFC 7541, 5.1). */
  private static void text(ByteArrayOutputStream out, String value) {
    int rest = value.length() - 127;
    out.write(Math.min(value.length(), 127));
    if (rest >= 0) {
      for (; rest >= 128; rest >>= 7) {
        out.write(rest & 127 | 128);
      }
      out.write(rest);
    }
    out.writeBytes(value.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawHttp2Client get(int stream, String path, String... more) throws IOException {
    return send(HEADERS, END_STREAM | END_HEADERS, stream, header("GET", path, more));
  }

  RawHttp2Client send(int type, int flags, int stream, byte[] payload) throws IOException {
    return write(frame(type, flags, stream, payload));
  }

  RawHttp2Client write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /**
   * A frame.
   *
   * @param type -1: the connection is closed
   */
  record Frame(int type, int flags, int stream, byte[] payload) {
    boolean isLast() {
      return type < 0 || type <= HEADERS && (flags & END_STREAM) != 0;
    }

    String text() {
      return new String(payload, StandardCharsets.ISO_8859_1);
    }

    /** The error code of a GOAWAY frame. */
    int error() {
      return payload[7] & 0xff;
    }
  }

  Frame read() throws IOException {
    try {
      int size = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = new byte[size];
      in.readFully(payload);
      return new Frame(type, flags, stream, payload);
    } catch (EOFException | SocketException e) {
      return new Frame(-1, 0, 0, new byte[0]);
    }
  }

  /** The next frame of that type; type -1: the connection is closed. */
  Frame next(int type) throws IOException {
    for (Frame frame = read(); ; frame = read()) {
      if (frame.type() == type || frame.type() < 0) {
        return frame;
      }
    }
  }

  /** Reads the data of a stream to its end. */
  String answer(int stream) throws IOException {
    StringBuilder data = new StringBuilder();
    for (Frame frame = read(); ; frame = read()) {
      if (frame.type() < 0 || frame.type() == GOAWAY) {
        return data + "[" + (frame.type() < 0 ? "closed" : "goaway " + frame.error()) + "]";
      }
      if (frame.stream() == stream) {
        data.append(frame.type() == DATA ? frame.text() : "");
        if (frame.isLast()) {
          return data.toString();
        }
      }
    }
  }

  /** Sends a frame repeatedly until the server closes the connection; returns how often. */
  long flood(byte[] frame, int max) {
    byte[] many = new byte[frame.length * 1000];
    for (int i = 0; i < 1000; i++) {
      System.arraycopy(frame, 0, many, i * frame.length, frame.length);
    }
    long sent = 0;
    try {
      for (; sent < max; sent += 1000) {
        write(many);
      }
    } catch (IOException e) {
      return sent;
    }
    return sent;
  }

  RawHttp2Client skipUpgrade() throws IOException {
    byte[] end = {'\r', '\n', '\r', '\n'};
    byte[] last = new byte[4];
    while (!Arrays.equals(last, end)) {
      System.arraycopy(last, 1, last, 0, 3);
      last[3] = in.readByte();
    }
    return this;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
