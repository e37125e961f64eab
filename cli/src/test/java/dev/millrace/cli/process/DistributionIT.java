package dev.millrace.cli.process;

import static java.nio.file.attribute.PosixFilePermission.OTHERS_EXECUTE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.InProcessCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive that {@code mvn package} makes, as its users have it: unpacked elsewhere by somebody
 * else, who alone may write there, in a directory with a space in its name.
 */
class DistributionIT {
  @TempDir static Path dir;
  private static Path home;

  /** What makes the following command that of a user who is not root; empty if we are none. */
  private static String asUser;

  @BeforeAll
  static void unpackAndInstall() throws IOException {
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path unpacked = Files.createDirectory(dir.resolve("un packed"));
    InProcessCli.Result tar = shell("umask 022; tar -xzf '" + archive() + "' -C 'un packed'");
    assertThat(tar.status()).as(tar.err()).isZero();
    try (Stream<Path> tops = Files.list(unpacked)) {
      home = tops.toList().getFirst();
    }
    String drop = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    boolean droppable = shell(drop + "test -x '" + java + "'").status() == 0;
    asUser = droppable ? drop : "";
    // the user's own directory, and one for temporary files
    shell("mkdir user tmp; chmod 777 user tmp; chmod -R a-w 'un packed'");
    InProcessCli.Result install = user("'" + home + "/bin/millrace' install user/bin");
    assertThat(install.status()).as(install.toString()).isZero();
  }

  @AfterAll
  static void makeDeletable() {
    shell("chmod -R u+w 'un packed'");
  }

  /** Built by this build; a launcher's own build makes none. */
  private static Path archive() throws IOException {
    Path target = LauncherProcess.script().resolveSibling("cli/target");
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches("millrace-.*\\.tar\\.gz"))
          .max((a, b) -> Long.compare(a.toFile().lastModified(), b.toFile().lastModified()))
          .orElseThrow(() -> new AssertionError("no archive in " + target + ": mvn package"));
    }
  }

  private static InProcessCli.Result shell(String line) {
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  /** A line of the user's, with the installed commands first on the PATH. */
  private static InProcessCli.Result user(String line) {
    String java = "MILLRACE_JAVA='" + System.getProperty("java.home") + "'";
    return shell(
        "export HOME=\"$PWD/user\" TMPDIR=\"$PWD/tmp\" PATH=\"$PWD/user/bin:$PATH\" %s; unset XDG_CACHE_HOME; %s%s"
            .formatted(java, asUser, line));
  }

  /** Names with sizes and times. */
  private static Map<String, String> listing() throws IOException {
    Map<String, String> listing = new TreeMap<>();
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.toList()) {
        listing.put(
            file.toString(), Files.size(file) + " " + Files.getLastModifiedTime(file).toMillis());
      }
    }
    return listing;
  }

  @Test
  void theDemoRunsAndTheInstallationStaysAsItWas() throws IOException {
    Map<String, String> before = listing();
    InProcessCli.Result demo = user("millrace demo </dev/null");
    assertThat(demo.status()).as(demo.toString()).isZero();
    assertThat(demo.out()).contains("Approved.", "{\"characters\":", "Nothing runs any more");
    assertThat(demo.err()).doesNotContain("WARNING", "Error", "millrace:");
    assertThat(demo.out()).contains(" millrace ").doesNotContain(home.toString());
    assumeNotRoot();
    assertThat(listing()).isEqualTo(before);
    assertThat(caches()).hasSize(1);
    InProcessCli.Result doctor = user("millrace doctor tmp --json");
    assertThat(doctor.out()).contains("/user/.cache/millrace/aot/").doesNotContain("rejected");
  }

  /** The jars of all distributions bear the same time. */
  @Test
  void anotherJarInTheSamePlaceGetsACacheOfItsOwn() throws IOException {
    assumeNotRoot();
    String id = "'" + home + "/lib/millrace.id'";
    shell("chmod u+w " + id + "; echo another > " + id + "; chmod a-w " + id);
    assertThat(user("millrace version").err()).isEmpty();
    assertThat(caches()).hasSize(1).first().asString().endsWith("-another.aot");
  }

  @Test
  void withoutAPlaceForTheCacheNothingIsSaid() {
    InProcessCli.Result result = user("env -u HOME millrace version");
    assertThat(result.status()).isZero();
    assertThat(result.err()).isEmpty();
  }

  private static void assumeNotRoot() {
    assumeTrue(!Files.isWritable(home) || !asUser.isEmpty(), "root may write everywhere");
  }

  private static List<Path> caches() throws IOException {
    try (Stream<Path> files = Files.walk(dir.resolve("user/.cache/millrace/aot"))) {
      return files.filter(file -> file.toString().endsWith(".aot")).toList();
    }
  }

  @Test
  void theCommandsAreLinked() {
    assertThat(user("wrk --help").out()).startsWith("Usage: millrace work ");
    assertThat(user("flw --help").out()).startsWith("Usage: millrace flow ");
    assertThat(user("nrvnad --help").out()).startsWith("Usage: millrace nrvnad ");
    assertThat(dir.resolve("user/share/man/man1/millrace-serve.1")).isRegularFile();
    assertThat(dir.resolve("user/share/bash-completion/completions/wrk")).isRegularFile();
    assertThat(dir.resolve("user/share/zsh/site-functions/_millrace")).isRegularFile();
    assertThat(dir.resolve("user/share/fish/vendor_completions.d/flw.fish")).isRegularFile();
  }

  @Test
  void theJarAloneFindsTheHouseModel() {
    InProcessCli.Result result =
        user(
            "'%s/bin/java' -jar '%s/lib/millrace.jar' models inspect house"
                .formatted(System.getProperty("java.home"), home));
    assertThat(result.status()).as(result.err()).isZero();
  }

  @Test
  void everybodyMayReadAndTheLauncherStarts() throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.toList()) {
        boolean starts = Files.isDirectory(file) || file.endsWith("bin/millrace");
        assertThat(Files.getPosixFilePermissions(file)).as(file.toString()).contains(OTHERS_READ);
        assertThat(Files.getPosixFilePermissions(file).contains(OTHERS_EXECUTE))
            .as(file.toString())
            .isEqualTo(starts);
      }
    }
    for (String name : new String[] {"LICENSE", "NOTICE", "README.md", "docs/install.md"}) {
      assertThat(home.resolve(name)).isRegularFile();
    }
    assertThat(Files.readAllLines(home.resolve("Dockerfile")).getFirst()).startsWith("# UNTESTED");
  }

  @Test
  void systemdAcceptsTheUnit() throws IOException {
    assumeTrue(shell("command -v systemd-analyze").status() == 0, "systemd-analyze is here");
    Files.createSymbolicLink(dir.resolve("opt"), home);
    String unit = Files.readString(home.resolve("lib/systemd/millrace.service"));
    Files.writeString(dir.resolve("millrace.service"), unit.replace("/opt/millrace", dir + "/opt"));
    InProcessCli.Result result = shell("systemd-analyze verify --man=no ./millrace.service");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.out() + result.err()).isEmpty();
  }

  @Test
  void aLauncherWithoutItsJarSaysWhatToDo() throws IOException {
    Files.createDirectories(dir.resolve("lost"));
    Files.copy(home.resolve("bin/millrace"), dir.resolve("lost/millrace"));
    InProcessCli.Result result = shell("lost/millrace version");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("lost/lib/millrace.jar is missing", "link to it");
  }
}
