package dev.millrace.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.http.LogCapture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server makes of a file of keys that changes, breaks and disappears. */
class ApiKeysTest {
  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong(-5);
  private final LogCapture log = new LogCapture();
  private Path file;
  private String key;
  private ApiKeys keys;

  @BeforeEach
  void open() throws IOException {
    file = directory.resolve("keys");
    key = ApiKeyFile.add(file, "me", Set.of(KeyScope.READ));
    keys = ApiKeys.open(file, nanos::get);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private void step(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private boolean isAccepted() {
    return keys.find(key).isPresent();
  }

  private void mode(String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void missingFileIsToleratedForTenSeconds() throws IOException {
    String text = Files.readString(file);
    Files.delete(file);
    assertThat(isAccepted()).isTrue();
    step(ApiKeys.MAX_UNREADABLE);
    assertThat(isAccepted()).isTrue();
    assertThat(keys.trouble()).isEmpty();
    assertThat(log.lines()).isEmpty();
    step(Duration.ofNanos(1));
    assertThat(isAccepted()).isFalse();
    assertThat(keys.areRefused()).isTrue();
    assertThat(keys.trouble()).hasValueSatisfying(it -> assertThat(it).contains("no key is"));
    assertThat(keys.trouble().orElseThrow()).doesNotContain(directory.toString());
    keys.reload();
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().getFirst())
        .contains(file.toString(), "no such file", "no key is accepted", "put the file back");
    Files.writeString(file, text);
    assertThat(isAccepted()).isTrue();
    assertThat(keys.areRefused()).isFalse();
    assertThat(keys.trouble()).isEmpty();
    assertThat(log.lines()).hasSize(2).last().asString().contains("in force again: 1");
  }

  @Test
  void eachAbsenceIsMeasuredFromItsBeginning() throws IOException {
    String text = Files.readString(file);
    Files.delete(file);
    keys.reload();
    step(Duration.ofSeconds(9));
    Files.writeString(file, text);
    keys.reload();
    Files.delete(file);
    keys.reload();
    step(Duration.ofSeconds(9));
    assertThat(isAccepted()).isTrue();
  }

  @Test
  void whatIsNotAFileIsUnreadable() throws IOException {
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(isAccepted()).isTrue();
    step(Duration.ofSeconds(11));
    assertThat(isAccepted()).isFalse();
    assertThat(log.lines().getFirst()).contains("not a file");
  }

  @Test
  void fileThatOthersMayWriteIsRefusedAtOnce() throws IOException {
    mode("rw-rw----");
    assertThat(isAccepted()).isFalse();
    assertThat(keys.trouble().orElseThrow()).contains("can be changed by other users");
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().getFirst()).contains("its mode is 660", "chmod go-w " + file);
    assertThatThrownBy(() -> ApiKeys.open(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("its mode is 660");
    mode("rw-r--r--");
    assertThat(isAccepted()).isTrue();
    assertThat(log.lines()).hasSize(2);
  }

  @Test
  void fileBelongsToTheServersUserOrToRoot() throws IOException {
    int owner = (Integer) Files.getAttribute(file, "unix:uid");
    assertThat(KeyFileOwner.processUser()).isEqualTo(owner);
    assertThat(KeyFileOwner.problem(file, owner)).isNull();
    assertThat(KeyFileOwner.problem(file, null)).isNull();
    if (owner == 0) {
      assertThat(KeyFileOwner.problem(file, 4711)).as("root's").isNull();
      Files.setAttribute(file, "unix:uid", 4712);
      assertThat(isAccepted()).isFalse();
      assertThat(log.lines().getFirst()).contains("its owner is user 4712, and must be root");
    }
    int now = (Integer) Files.getAttribute(file, "unix:uid");
    assertThat(KeyFileOwner.problem(file, 4711))
        .isEqualTo("its owner is user " + now + ", and must be this server's user 4711 or root");
  }

  @Test
  void fileThatBreaksARuleChangesNothing() throws IOException {
    String text = Files.readString(file);
    Files.writeString(file, text + "broken\n");
    assertThat(isAccepted()).isTrue();
    step(Duration.ofDays(1));
    assertThat(isAccepted()).isTrue();
    keys.reload();
    assertThat(keys.areRefused()).isFalse();
    assertThat(keys.trouble().orElseThrow()).contains("its changes are not in force");
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().getFirst())
        .contains("line 2: must be NAME SCOPES SHA256", "those read before stay valid");
    Files.write(file, new byte[] {(byte) 0xff, '\n'});
    assertThat(isAccepted()).isTrue();
    assertThat(log.lines()).hasSize(2).last().asString().contains("not UTF-8");
    Files.writeString(file, "# all revoked\n");
    assertThat(isAccepted()).isFalse();
    assertThat(keys.trouble()).isEmpty();
    assertThat(keys.areRefused()).isFalse();
  }

  @Test
  void refusedKeysDoNotReturnByABrokenFile() throws IOException {
    mode("rw-rw-rw-");
    assertThat(isAccepted()).isFalse();
    Files.writeString(file, "broken\n");
    mode("rw-------");
    assertThat(isAccepted()).isFalse();
    assertThat(keys.areRefused()).isTrue();
    assertThat(log.lines()).hasSize(2).last().asString().contains("line 1", "no key is accepted");
  }

  @Test
  void changeThatLeavesNoTraceIsFoundByReloading() throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    String other = "me read " + ApiKeyFile.hash("x") + "\n";
    Files.writeString(file, other);
    Files.setLastModifiedTime(file, modified);
    keys.reload();
    assertThat(isAccepted()).isFalse();
    assertThat(keys.find("x")).isPresent();
  }
}
