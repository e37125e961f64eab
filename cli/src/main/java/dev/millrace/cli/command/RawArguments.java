package dev.millrace.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the words of the command line as they were typed. Java decodes them by the locale, and
 * under one that is not UTF-8 (the C locale of cron and many containers) a prompt would arrive as
 * question marks.
 */
public final class RawArguments {
  private static final char REPLACEMENT = '\uFFFD';

  private RawArguments() {}

  /** {@code decoded}, or the system's own copy of it where decoding lost something. */
  public static String[] of(String[] decoded) {
    for (String word : decoded) {
      if (word.indexOf(REPLACEMENT) >= 0) {
        return reread(decoded);
      }
    }
    return decoded;
  }

  private static String[] reread(String[] decoded) {
    byte[] line;
    try {
      line = Files.readAllBytes(Path.of("/proc/self/cmdline"));
    } catch (IOException e) {
      return decoded; // not Linux: there, arguments are UTF-8 anyway
    }
    return last(line, decoded.length);
  }

  /**
   * The last {@code count} words of a command line, in which every word ends with a zero byte.
   *
   * @throws CommandException if one is not UTF-8
   */
  static String[] last(byte[] line, int count) {
    String[] words = new String[count];
    int end = line.length - 1;
    for (int i = count - 1; i >= 0; i--) {
      int from = end;
      while (from > 0 && line[from - 1] != 0) {
        from--;
      }
      words[i] = Utf8Decoder.decode(line, from, end - from, "argument " + (i + 1));
      end = from - 1;
    }
    return words;
  }
}
