package dev.millrace.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The words of the command line as they were typed. Java decodes them by the locale, and under one
 * that is not UTF-8 (the C locale of cron and many containers) a prompt would arrive as question
 * marks.
 */
final class RawArguments {
  private static final char REPLACEMENT = '\uFFFD';

  private RawArguments() {}

  /** {@code decoded}, or the system's own copy of it where decoding lost something. */
  static String[] of(String[] decoded) {
    for (String word : decoded) {
      if (word.indexOf(REPLACEMENT) >= 0) {
        return reread(decoded);
      }
    }
    return decoded;
  }

  private static String[] reread(String[] decoded) {
    try {
      return last(Files.readAllBytes(Path.of("/proc/self/cmdline")), decoded);
    } catch (IOException e) {
      return decoded; // not Linux: there, arguments are UTF-8 anyway
    }
  }

  /** The last words of a command line whose words end with a zero byte each. */
  static String[] last(byte[] line, String[] decoded) {
    String[] words = decoded.clone();
    int end = line.length - 1;
    for (int i = words.length - 1; i >= 0; i--) {
      int from = end;
      while (from > 0 && line[from - 1] != 0) {
        from--;
      }
      if (end < 0 || from > end) {
        return decoded;
      }
      words[i] = new String(Arrays.copyOfRange(line, from, end), StandardCharsets.UTF_8);
      end = from - 1;
    }
    return words;
  }
}
