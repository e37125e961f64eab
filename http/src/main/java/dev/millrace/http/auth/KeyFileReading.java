package dev.millrace.http.auth;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The result of reading the file of keys, as a server that relies on it sees it. */
sealed interface KeyFileReading {

  record Valid(List<ApiKeyFile.Line> lines) implements KeyFileReading {}

  /**
   * Why the file cannot be used.
   *
   * @param reason in words, without the file's name
   * @param remedy what the operator does about it
   */
  record Trouble(Kind kind, String reason, String remedy) implements KeyFileReading {}

  /** What is wrong decides what happens to the keys that were read before. */
  enum Kind {
    /** It is not there, or cannot be read: it may be being replaced, so they stay for a while. */
    UNREADABLE("is missing or cannot be read"),
    /** Other users may have changed it: none is accepted. */
    UNSAFE("can be changed by other users"),
    /** It breaks a rule: they stay. */
    INVALID("breaks a rule");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** To be read after "the file of API keys". */
    String text() {
      return text;
    }
  }

  static KeyFileReading of(Path file) {
    try {
      if (!Files.isRegularFile(file) && Files.exists(file)) {
        return unreadable("it is a directory or a device, not a file");
      }
      String unsafe = KeyFileOwner.problem(file, KeyFileOwner.processUser());
      return unsafe == null
          ? new Valid(ApiKeyFile.read(file))
          : new Trouble(Kind.UNSAFE, unsafe, KeyFileOwner.remedy(file));
    } catch (CharacterCodingException e) {
      return invalid("it is not UTF-8");
    } catch (IllegalArgumentException e) {
      return invalid(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return unreadable(reason(e));
    }
  }

  private static Trouble unreadable(String reason) {
    return new Trouble(
        Kind.UNREADABLE, reason, "put the file back where this server's user can read it");
  }

  private static Trouble invalid(String reason) {
    return new Trouble(Kind.INVALID, reason, "mend or remove that line");
  }

  /** The reason in words: the message of a JDK exception is often only the file name. */
  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "this server's user may not read it";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}
