package dev.millrace.cli.command;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8 strictly: invalid bytes are an error, not replacement characters. */
public final class Utf8Decoder {
  private Utf8Decoder() {}

  /** The error calls the bytes {@code what} and names the offset of the first invalid one. */
  public static String decode(byte[] bytes, int from, int length, String what) {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD') >= 0) { // typed by the user, or put there for malformed bytes
      check(bytes, from, length, what);
    }
    return text;
  }

  private static void check(byte[] bytes, int from, int length, String what) {
    ByteBuffer in = ByteBuffer.wrap(bytes, from, length);
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    CharBuffer out = CharBuffer.allocate(8_192);
    while (true) {
      var result = decoder.decode(in, out.clear(), true);
      if (result.isError()) {
        throw new CommandException(
            what
                + " is not valid UTF-8: byte offset "
                + (in.position() - from)
                + "; convert it first, for example with iconv");
      }
      if (result.isUnderflow()) {
        return;
      }
    }
  }
}
