package dev.millrace.http.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may change the file of keys: whoever can, can make a key for everything. Reading it does no
 * harm, because it has only hashes of long random keys.
 */
final class KeyFileOwner {
  private static final int ROOT = 0;
  private static final int WRITE_BY_GROUP_OR_OTHERS = 022;

  private KeyFileOwner() {}

  /**
   * What is wrong with the owner or mode of a file; null: nothing.
   *
   * @param user who may own it beside root; null: not known, any owner will do
   */
  static @Nullable String problem(Path file, @Nullable Integer user) throws IOException {
    Map<String, Object> found = Files.readAttributes(file, "unix:uid,mode");
    int owner = (Integer) found.get("uid");
    int mode = (Integer) found.get("mode") & 0777;
    if (user != null && owner != user && owner != ROOT) {
      return "its owner is user "
          + owner
          + ", and must be "
          + (user == ROOT ? "root" : "this server's user " + user + " or root");
    }
    return (mode & WRITE_BY_GROUP_OR_OTHERS) == 0
        ? null
        : "its mode is " + Integer.toOctalString(mode) + ": only its owner may write it";
  }

  static String remedy(Path file) {
    Integer user = processUser();
    return "check its lines, then \"chown "
        + (user == null ? "USER" : user)
        + " "
        + file
        + "\" and \"chmod go-w "
        + file
        + "\"";
  }

  /** The effective user of this process; null if the system does not say. */
  static @Nullable Integer processUser() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("Uid:")) {
          return Integer.valueOf(line.split("\\s+")[2]); // real, effective, saved, file system
        }
      }
      return null;
    } catch (IOException | NumberFormatException e) {
      return systemUser();
    }
  }

  /** Not by name first: in a container the user of a process need not have one. */
  private static @Nullable Integer systemUser() {
    try {
      Path home = Path.of(System.getProperty("user.home", "/"));
      boolean own = Files.getOwner(home).getName().equals(System.getProperty("user.name"));
      return own ? (Integer) Files.getAttribute(home, "unix:uid") : null;
    } catch (IOException e) {
      return null;
    }
  }
}
