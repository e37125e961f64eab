package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.text.DisplayText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes on a new connection. The listening side sends its preamble first, so that the
 * dialing side learns of a refused certificate before it writes anything. Then the dialing side
 * sends its preamble and {@link Hello}, and the listening side answers with {@link Welcome}.
 */
public final class HelloProtocol {
  private static final byte[] MAGIC = "millrace".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX = 4096;
  private static final int MAX_TEXT = 1000;

  private HelloProtocol() {}

  /** The answer of the listening side. */
  public record Welcome(Verdict verdict, String text, String name, long incarnation) {
    enum Verdict {
      WELCOME,
      REFUSED,
      NOT_NOW
    }

    static Welcome to(NodeIdentity us) {
      return new Welcome(Verdict.WELCOME, "", us.name(), us.incarnation());
    }

    /** A refused node does not learn our name. */
    static Welcome refused(String why) {
      return new Welcome(Verdict.REFUSED, why, "", 0);
    }

    static Welcome notNow(String why) {
      return new Welcome(Verdict.NOT_NOW, why, "", 0);
    }
  }

  @FunctionalInterface
  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  @FunctionalInterface
  private interface Reading<T> {
    T from(DataInputStream in) throws IOException;
  }

  public static void writePreamble(OutputStream out, int version) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    byte[] preamble = Arrays.copyOf(MAGIC, MAGIC.length + Integer.BYTES);
    ByteBuffer.wrap(preamble).putInt(MAGIC.length, version);
    data.write(preamble);
    data.flush();
  }

  /** The other side's version. */
  public static int readPreamble(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    byte[] magic = new byte[MAGIC.length];
    data.readFully(magic);
    if (!Arrays.equals(magic, MAGIC)) {
      throw new ProtocolException("it speaks TLS, but is not a Millrace node");
    }
    return data.readInt();
  }

  static void writeHello(OutputStream out, Hello hello) throws IOException {
    HostPort listening = hello.listening();
    write(
        out,
        data -> {
          data.writeUTF(hello.name());
          data.writeLong(hello.incarnation());
          data.writeInt(hello.numerics());
          data.writeByte(hello.purpose().ordinal());
          data.writeUTF(hello.call());
          data.writeUTF(listening == null ? "" : listening.host());
          data.writeInt(listening == null ? 0 : listening.port());
        });
  }

  static Hello readHello(InputStream in) throws IOException {
    return read(
        in,
        data ->
            new Hello(
                data.readUTF(),
                data.readLong(),
                data.readInt(),
                one(Hello.Purpose.values(), data.readUnsignedByte()),
                data.readUTF(),
                hostPort(data.readUTF(), data.readInt())));
  }

  private static @Nullable HostPort hostPort(String host, int port) throws IOException {
    try {
      return host.isEmpty() ? null : new HostPort(host, port);
    } catch (ClusterException e) {
      throw new ProtocolException("its own address is not valid");
    }
  }

  static void writeWelcome(OutputStream out, Welcome welcome) throws IOException {
    String text = welcome.text();
    write(
        out,
        data -> {
          data.writeByte(welcome.verdict().ordinal());
          data.writeUTF(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text);
          data.writeUTF(welcome.name());
          data.writeLong(welcome.incarnation());
        });
  }

  static Welcome readWelcome(InputStream in) throws IOException {
    return read(
        in,
        data ->
            new Welcome(
                one(Welcome.Verdict.values(), data.readUnsignedByte()),
                DisplayText.sanitized(data.readUTF()),
                DisplayText.sanitized(data.readUTF()),
                data.readLong()));
  }

  private static <T> T one(T[] values, int ordinal) throws IOException {
    if (ordinal >= values.length) {
      throw new ProtocolException("its hello has an unknown number " + ordinal);
    }
    return values[ordinal];
  }

  private static void write(OutputStream out, Writing writing) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    writing.to(new DataOutputStream(body));
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    new DataOutputStream(whole).writeInt(body.size());
    body.writeTo(whole);
    whole.writeTo(out);
    out.flush();
  }

  private static <T> T read(InputStream in, Reading<T> reading) throws IOException {
    DataInputStream data = new DataInputStream(in);
    int length = data.readInt();
    if (length < 0 || length > MAX) {
      throw new ProtocolException("its hello has " + length + " bytes, of at most " + MAX);
    }
    byte[] body = new byte[length];
    data.readFully(body);
    ByteArrayInputStream bytes = new ByteArrayInputStream(body);
    T read;
    try {
      read = reading.from(new DataInputStream(bytes));
    } catch (EOFException e) {
      throw new ProtocolException("its hello is too short");
    }
    if (bytes.available() > 0) {
      throw new ProtocolException("its hello has too many bytes");
    }
    return read;
  }
}
