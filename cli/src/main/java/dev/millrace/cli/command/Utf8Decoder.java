package dev.millrace.cli.command;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Bytes as text, or a refusal: what is not UTF-8 would be stored as something else. */
public final class Utf8Decoder {
  private Utf8Decoder() {}

  /** {@code what} names the bytes in the refusal, which says at which of them they go wrong. */
  public static String decode(byte[] bytes, int from, int length, String what) {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD') >= 0) { // typed as such, or put where something was malformed
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
