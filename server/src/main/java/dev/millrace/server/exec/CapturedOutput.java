package dev.millrace.server.exec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Collects what a program prints on stdout, up to a limit. Thread-safe. */
final class CapturedOutput {
  private final int limit;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // guarded by this
  private boolean over; // guarded by this

  CapturedOutput(int limit) {
    this.limit = limit;
  }

  /** False once the limit is exceeded; the bytes before that are kept. */
  synchronized boolean add(byte[] buffer, int length) {
    over |= length > limit - bytes.size();
    if (!over) {
      bytes.write(buffer, 0, length);
    }
    return !over;
  }

  synchronized boolean isOverLimit() {
    return over;
  }

  /** The output exactly as it was printed. */
  String text() throws CharacterCodingException {
    byte[] all;
    synchronized (this) {
      all = bytes.toByteArray();
    }
    String text = new String(all, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD')
        >= 0) { // printed by the program, or a replacement for malformed bytes
      checkUtf8(all);
    }
    return text;
  }

  /** The output with malformed bytes replaced. */
  synchronized String lenientText() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static void checkUtf8(byte[] all) throws CharacterCodingException {
    ByteBuffer in = ByteBuffer.wrap(all);
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    var out = java.nio.CharBuffer.allocate(8192);
    CoderResult result;
    do {
      result = decoder.decode(in, out.clear(), true);
    } while (result.isOverflow());
    if (result.isError()) {
      throw new NotUtf8(in.position(), all[in.position()]);
    }
  }

  /** The position of the first byte that is not UTF-8. */
  static final class NotUtf8 extends CharacterCodingException {
    private static final long serialVersionUID = 1L;
    private final int offset;
    private final byte value;

    NotUtf8(int offset, byte value) {
      this.offset = offset;
      this.value = value;
    }

    @Override
    public String getMessage() {
      return "stdout is not valid UTF-8: byte 0x%02X at offset %d".formatted(value & 0xFF, offset);
    }
  }
}
