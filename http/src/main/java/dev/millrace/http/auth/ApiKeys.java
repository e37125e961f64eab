package dev.millrace.http.auth;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys that clients of the API may have. Of those of a file, each lookup checks whether the file
 * changed, so that a removed key is refused at once. A file that is missing, unreadable or open to
 * changes by other users means that no key is accepted: otherwise a key could no longer be revoked.
 * Thread-safe.
 */
public final class ApiKeys {
  /** How long the file may be missing or unreadable, such as while it is replaced. */
  public static final Duration MAX_UNREADABLE = Duration.ofSeconds(10);

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Map<String, Object> NO_STAMP = Map.of();

  private final @Nullable Path file; // null: the keys never change
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile State state; // changed under the lock

  /**
   * What is known of the file.
   *
   * @param stamp the attributes that it had
   * @param keys the last that were valid
   * @param trouble why it cannot be used now; null: it can
   * @param since the nano time at which that kind of trouble began
   * @param logged the trouble that the log has a line about; null: none
   */
  private record State(
      Map<String, Object> stamp,
      List<Key> keys,
      KeyFileReading.@Nullable Trouble trouble,
      long since,
      boolean refused,
      KeyFileReading.@Nullable Trouble logged) {

    static State valid(Map<String, Object> stamp, List<Key> keys) {
      return new State(stamp, keys, null, 0, false, null);
    }

    boolean isUnreadable() {
      return trouble != null && trouble.kind() == KeyFileReading.Kind.UNREADABLE;
    }
  }

  private record Key(byte[] hash, Principal principal) {
    static List<Key> all(List<ApiKeyFile.Line> lines) {
      List<Key> keys = new ArrayList<>();
      for (ApiKeyFile.Line line : lines) {
        byte[] hash = line.hash().getBytes(StandardCharsets.US_ASCII);
        keys.add(new Key(hash, new Principal(line.name(), line.scopes())));
      }
      return List.copyOf(keys);
    }
  }

  private ApiKeys(@Nullable Path file, LongSupplier nanoTime, State state) {
    this.file = file;
    this.nanoTime = nanoTime;
    this.state = state;
  }

  /**
   * @throws IllegalArgumentException if the file cannot be used: why, and what to do
   */
  public static ApiKeys open(Path file) {
    return open(file, System::nanoTime);
  }

  /** As the other method, with the clock that measures how long the file cannot be read. */
  public static ApiKeys open(Path file, LongSupplier nanoTime) {
    Map<String, Object> stamp = stamp(file);
    return switch (KeyFileReading.of(file)) {
      case KeyFileReading.Valid(List<ApiKeyFile.Line> lines) ->
          new ApiKeys(file, nanoTime, State.valid(stamp, Key.all(lines)));
      case KeyFileReading.Trouble trouble ->
          throw new IllegalArgumentException(
              "cannot use the API keys in "
                  + file
                  + ": "
                  + trouble.reason()
                  + "; "
                  + trouble.remedy());
    };
  }

  /**
   * Keys that are in no file.
   *
   * @throws IllegalArgumentException if two have the same name
   */
  public static ApiKeys of(List<ApiKeyFile.Line> lines) {
    Set<String> names = new HashSet<>();
    for (ApiKeyFile.Line line : lines) {
      if (!names.add(line.name())) {
        throw new IllegalArgumentException("the name \"" + line.name() + "\" is there twice");
      }
    }
    return new ApiKeys(null, System::nanoTime, State.valid(NO_STAMP, Key.all(lines)));
  }

  /** The owner of a key. Takes the same time for every key, valid or not. */
  public Optional<Principal> find(String key) {
    refresh(false);
    State now = state;
    byte[] hash = ApiKeyFile.hash(key).getBytes(StandardCharsets.US_ASCII);
    Principal found = null;
    for (Key candidate : now.keys()) {
      if (MessageDigest.isEqual(candidate.hash(), hash)) {
        found = candidate.principal();
      }
    }
    return now.refused() ? Optional.empty() : Optional.ofNullable(found);
  }

  /** Whether no key is accepted, because the file cannot be relied on. */
  public boolean areRefused() {
    refresh(false);
    return state.refused();
  }

  /** What is wrong with the file, without its path, because anyone may read it; empty: nothing. */
  public Optional<String> trouble() {
    refresh(false);
    State now = state;
    KeyFileReading.Trouble trouble = now.trouble();
    if (trouble == null || now.isUnreadable() && !now.refused()) {
      return Optional.empty();
    }
    return Optional.of(
        "the file of API keys "
            + trouble.kind().text()
            + ": "
            + (now.refused() ? "no key is accepted" : "its changes are not in force")
            + "; the server's log says what to do");
  }

  /**
   * Reads the file, whether or not it seems changed. Call it every few seconds: then a change is
   * noticed that leaves the file's attributes as they were, and trouble without any request.
   */
  public void reload() {
    refresh(true);
  }

  private void refresh(boolean always) {
    Path file = this.file;
    if (file == null) {
      return;
    }
    Map<String, Object> stamp = stamp(file);
    boolean unchanged = stamp.equals(state.stamp()) && !state.isUnreadable();
    if (unchanged && !always || !reading.tryLock()) {
      return;
    }
    try {
      state =
          switch (KeyFileReading.of(file)) {
            case KeyFileReading.Valid(List<ApiKeyFile.Line> lines) -> valid(file, stamp, lines);
            case KeyFileReading.Trouble trouble -> troubled(file, stamp, trouble);
          };
    } finally {
      reading.unlock();
    }
  }

  private State valid(Path file, Map<String, Object> stamp, List<ApiKeyFile.Line> lines) {
    if (state.logged() != null) {
      LOG.log(Level.INFO, "the API keys in {0} are in force again: {1}", file, lines.size());
    } else if (!stamp.equals(state.stamp())) {
      LOG.log(Level.INFO, "read {0} API keys from {1}", lines.size(), file);
    }
    return State.valid(stamp, Key.all(lines));
  }

  /** Keys that are refused are accepted again only after the file was read and is valid. */
  private State troubled(Path file, Map<String, Object> stamp, KeyFileReading.Trouble trouble) {
    State before = state;
    long now = nanoTime.getAsLong();
    boolean same = before.trouble() != null && before.trouble().kind() == trouble.kind();
    long since = same ? before.since() : now;
    boolean refused =
        before.refused()
            || switch (trouble.kind()) {
              case UNSAFE -> true;
              case UNREADABLE -> now - since > MAX_UNREADABLE.toNanos();
              case INVALID -> false;
            };
    boolean tolerated = trouble.kind() == KeyFileReading.Kind.UNREADABLE && !refused;
    if (!tolerated && !trouble.equals(before.logged())) {
      log(file, trouble, refused);
    }
    return new State(
        stamp, before.keys(), trouble, since, refused, tolerated ? before.logged() : trouble);
  }

  private static void log(Path file, KeyFileReading.Trouble trouble, boolean refused) {
    LOG.log(
        Level.ERROR,
        "cannot use the API keys in {0}: {1}; {2}; {3}",
        file,
        trouble.reason(),
        refused ? "no key is accepted" : "those read before stay valid",
        trouble.remedy());
  }

  /** What changes whenever the file is written, replaced, moved, or gets another owner or mode. */
  private static Map<String, Object> stamp(Path file) {
    try {
      return Files.readAttributes(file, "unix:dev,ino,ctime,lastModifiedTime,size,uid,mode");
    } catch (IOException e) {
      return NO_STAMP;
    }
  }
}
