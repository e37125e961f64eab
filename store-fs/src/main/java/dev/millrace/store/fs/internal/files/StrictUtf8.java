package dev.millrace.store.fs.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Decodes UTF-8 strictly: a byte that is not text is an error with its offset, never a replacement.
 */
public final class StrictUtf8 {
  private StrictUtf8() {}

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static String of(Path file, byte[] bytes) throws IOException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString();
    } catch (CharacterCodingException e) {
      throw new JobFiles.MalformedJobException(
          file.getFileName() + " is not valid UTF-8 at byte " + firstBadByte(bytes));
    }
  }

  static int firstBadByte(byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    decoder.decode(in, CharBuffer.allocate(bytes.length + 1), true);
    return in.position();
  }
}
