package dev.millrace.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileEditTest {
  private static final int KEYS = 60;

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void locate() {
    file = directory.resolve("keys");
  }

  /** Adds keys: {@code FILE PREFIX}. */
  static final class Adder {
    private Adder() {}

    public static void main(String[] args) throws IOException {
      for (int i = 0; i < KEYS; i++) {
        ApiKeyFile.add(Path.of(args[0]), args[1] + i, Set.of(KeyScope.READ));
      }
    }
  }

  @Test
  void processesThatEditAtOnceLoseNothing() throws Exception {
    List<Process> adders = List.of(adder("a"), adder("b"));
    for (Process adder : adders) {
      assertThat(adder.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(adder.exitValue()).isZero();
    }
    assertThat(ApiKeyFile.read(file)).hasSize(2 * KEYS);
  }

  private Process adder(String prefix) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classes = System.getProperty("java.class.path");
    return new ProcessBuilder(
            java.toString(), "-cp", classes, Adder.class.getName(), file.toString(), prefix)
        .inheritIO()
        .start();
  }

  @Test
  void threadsThatEditAtOnceLoseNothing() throws Exception {
    List<Thread> threads =
        Stream.of("a", "b", "c")
            .map(name -> Thread.ofPlatform().unstarted(() -> addOrFail(name)))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(ApiKeyFile.read(file)).hasSize(3);
  }

  private void addOrFail(String name) {
    try {
      ApiKeyFile.add(file, name, Set.of(KeyScope.READ));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void modeOfTheFileStays() throws IOException {
    ApiKeyFile.add(file, "a", Set.of(KeyScope.READ));
    assertThat(mode()).as("of a new one").isEqualTo("rw-------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    ApiKeyFile.add(file, "b", Set.of(KeyScope.READ));
    ApiKeyFile.remove(file, "a");
    assertThat(mode()).isEqualTo("rw-r-----");
  }

  @Test
  void ownerAndGroupOfTheFileStay() throws IOException {
    ApiKeyFile.add(file, "a", Set.of(KeyScope.READ));
    if ((Integer) Files.getAttribute(file, "unix:uid") == 0) { // only root may give a file away
      Files.setAttribute(file, "unix:uid", 4711);
      Files.setAttribute(file, "unix:gid", 4712);
    }
    var before = Files.readAttributes(file, "unix:uid,gid");
    ApiKeyFile.add(file, "b", Set.of(KeyScope.READ));
    assertThat(Files.readAttributes(file, "unix:uid,gid")).isEqualTo(before);
  }

  private String mode() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void linkToTheFileStays() throws IOException {
    ApiKeyFile.add(file, "a", Set.of(KeyScope.READ));
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("keys"));
    ApiKeyFile.add(link, "b", Set.of(KeyScope.READ));
    assertThat(link).isSymbolicLink();
    assertThat(ApiKeyFile.read(file)).hasSize(2);
  }

  @Test
  void fileDoesNotGrowBeyondWhatAServerReads() throws IOException {
    String large = "# " + "x".repeat(999_950) + "\n";
    Files.writeString(file, large);
    assertThatThrownBy(() -> ApiKeyFile.add(file, "a", Set.of(KeyScope.READ)))
        .hasMessageContaining("larger than 1000000 bytes");
    assertThat(Files.readString(file)).isEqualTo(large);
  }

  @Test
  void brokenFileIsNotEdited() throws IOException {
    ApiKeyFile.add(file, "a", Set.of(KeyScope.READ));
    String broken = Files.readString(file) + "b read\n";
    Files.writeString(file, broken);
    assertThatThrownBy(() -> ApiKeyFile.remove(file, "a")).hasMessageContaining("line 2: must be");
    assertThatThrownBy(() -> ApiKeyFile.add(file, "c", Set.of(KeyScope.READ)))
        .hasMessageContaining("line 2: must be");
    assertThat(Files.readString(file)).isEqualTo(broken);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(it -> it.getFileName().toString())).containsOnly("keys", ".keys.lock");
    }
  }
}
