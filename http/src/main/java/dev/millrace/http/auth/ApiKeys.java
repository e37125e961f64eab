package dev.millrace.http.auth;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The keys that clients of the API may have. Of those of a file, each lookup checks whether the file changed, so that a removed key is
 * refused at once; if the file cannot be read, the keys read before stay valid.
 */
public final class ApiKeys {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final @Nullable Path file; // null: the keys never change
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Stamp stamp;
  private volatile List<Key> keys;

  private ApiKeys(@Nullable Path file, Stamp stamp, List<Key> keys) {
    this.file = file;
    this.stamp = stamp;
    this.keys = keys;
  }

  /**
   * @throws IllegalArgumentException if the file cannot be read or breaks a rule
   */
  public static ApiKeys open(Path file) {
    try {
      Stamp stamp = Stamp.of(file);
      return new ApiKeys(file, stamp, read(file));
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "there is no file of API keys " + file + "; create one with a key in it");
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException("cannot read API keys from " + file + ": " + reason(e));
    }
  }

  /**
   * Keys that are in no file.
   *
   * @throws IllegalArgumentException if two have the same name
   */
  public static ApiKeys of(List<ApiKeyFile.Line> lines) {
    return new ApiKeys(null, Stamp.NONE, keys(lines));
  }

  /** The owner of a key. Takes the same time for every key, valid or not. */
  public Optional<Principal> find(String key) {
    refresh();
    byte[] hash = ApiKeyFile.hash(key).getBytes(StandardCharsets.US_ASCII);
    Principal found = null;
    for (Key candidate : keys) {
      if (MessageDigest.isEqual(candidate.hash(), hash)) {
        found = candidate.principal();
      }
    }
    return Optional.ofNullable(found);
  }

  private void refresh() {
    Path file = this.file;
    if (file == null) {
      return;
    }
    Stamp now = stampNow(file);
    if (now.equals(stamp) || !reading.tryLock()) {
      return;
    }
    try {
      stamp = now;
      keys = read(file);
      LOG.log(Level.INFO, "read {0} API keys from {1}", keys.size(), file);
    } catch (IOException | IllegalArgumentException e) {
      LOG.log(
          Level.ERROR,
          "cannot read API keys from {0}: {1}; those read before stay valid",
          file,
          reason(e));
    } finally {
      reading.unlock();
    }
  }

  /** The reason in words: the message of a JDK exception is often only the file name. */
  private static String reason(Exception e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "this user may not read it";
      case CharacterCodingException _ -> "it is not UTF-8";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }

  private static Stamp stampNow(Path file) {
    try {
      return Stamp.of(file);
    } catch (IOException e) {
      return Stamp.NONE;
    }
  }

  private static List<Key> read(Path file) throws IOException {
    return keys(ApiKeyFile.read(file));
  }

  private static List<Key> keys(List<ApiKeyFile.Line> lines) {
    List<Key> keys = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ApiKeyFile.Line line : lines) {
      if (!names.add(line.name())) {
        throw new IllegalArgumentException("the name \"" + line.name() + "\" is there twice");
      }
      keys.add(
          new Key(
              line.hash().getBytes(StandardCharsets.US_ASCII),
              new Principal(line.name(), line.scopes())));
    }
    return List.copyOf(keys);
  }

  private record Key(byte[] hash, Principal principal) {}

  private record Stamp(@Nullable FileTime modified, long size, @Nullable Object file) {
    static final Stamp NONE = new Stamp(null, -1, null);

    static Stamp of(Path path) throws IOException {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      return new Stamp(now.lastModifiedTime(), now.size(), now.fileKey());
    }
  }
}
