package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.UserProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may use the files of a workspace. */
class WorkspaceAccessTest {
  private static final String GROUP = "61010";
  private static final int ANN = 61001;
  private static final int BOB = 61002;

  @TempDir Path dir;

  /** Makes every kind of file that a workspace has. */
  private static void use(Workspace workspace) {
    workspace.submitter().submit(TestJobSpecs.plain("one"));
    workspace
        .submitter()
        .submit(
            TestJobSpecs.job(
                TestJobSpecs.stage("a", "x", "y"), TestJobSpecs.each("b", "({{result}})")));
    try (JobStore store = workspace.own().orElseThrow()) {
      workspace.announce(JsonObject.create());
      RealWorkspaceCase.completeAll(store);
      store.sweep(); // fills the reserve
    }
    workspace.submitter().submit(TestJobSpecs.plain("waits"));
  }

  /** The modes of directories and of files below a directory, each with an example. */
  private static Map<String, String> modes(Path top) throws IOException {
    Map<String, String> modes = new TreeMap<>();
    try (Stream<Path> all = Files.walk(top)) {
      for (Path each : all.toList()) {
        int mode = (Integer) Files.getAttribute(each, "unix:mode");
        modes.put(
            (Files.isDirectory(each) ? "directories " : "files ")
                + Integer.toOctalString(mode & 07777),
            each.toString());
      }
    }
    return modes;
  }

  @Test
  void aNewWorkspaceIsItsOwnersAloneWhateverTheUmask() throws IOException {
    Workspace workspace = Workspace.open(dir.resolve("above/ws"));
    use(workspace);

    assertThat(modes(workspace.root())).containsOnlyKeys("directories 700", "files 600");
    assertThat(Files.exists(workspace.root().resolve(".millrace/reserve/0"))).isTrue();
    assertThat(Files.exists(workspace.root().resolve(".nrvnad.info"))).isTrue();
  }

  @Test
  void inADirectoryThatExistsWhatIsNewIsPrivateAndItsOwnModeStays() throws IOException {
    Path root = Files.createDirectory(dir.resolve("ws"));
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    use(Workspace.open(root));

    assertThat(modes(root)).containsOnlyKeys("directories 755", "directories 700", "files 600");
    assertThat(modes(root).get("directories 755")).isEqualTo(root.toString());
  }

  @Test
  void anOlderWorkspaceKeepsItsModesAndTheUmask() throws Exception {
    Path root = dir.resolve("ws");
    use(Workspace.open(root));
    run("chmod", "-R", "u=rwX,go=rX", root.toString());
    use(Workspace.open(root));

    String file = Files.createFile(dir.resolve("by-umask")).toString();
    String mode = Integer.toOctalString((Integer) Files.getAttribute(Path.of(file), "unix:mode"));
    assertThat(modes(root).keySet())
        .isSubsetOf("directories 755", "directories 775", "files 644", "files 664")
        .contains("files " + mode.substring(mode.length() - 3));
  }

  @Test
  void theMembersOfAGroupMayWriteWhateverTheUmask() throws IOException {
    GroupPrincipal own = (GroupPrincipal) Files.getAttribute(dir, "posix:group");
    Workspace workspace = Workspace.openShared(dir.resolve("ws"), own.getName());
    use(Workspace.open(workspace.root())); // the workspace itself knows that it is shared

    assertThat(modes(workspace.root())).containsOnlyKeys("directories 2770", "files 660");
    assertThat(Workspace.openShared(workspace.root(), own.getName())).isNotNull();
  }

  @Test
  void whatExistsAndIsNotSharedIsRefusedWithTheCommandThatSharesIt() throws Exception {
    String own = ((GroupPrincipal) Files.getAttribute(dir, "posix:group")).getName();
    Path root = dir.resolve("ws");
    Workspace.open(root);

    Throwable refused = catchThrowable(() -> Workspace.openShared(root, own));
    assertThat(refused)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(root + " exists and is not shared with group " + own);
    assertThat(modes(root).keySet()).doesNotContain("directories 2770");

    String message = refused.getMessage();
    run("sh", "-c", message.substring(message.indexOf("chgrp")));
    use(Workspace.openShared(root, own));
    assertThat(modes(root)).containsOnlyKeys("directories 2770", "files 660");
  }

  @Test
  void anUnknownGroupIsNamed() {
    assertThatThrownBy(() -> Workspace.openShared(dir.resolve("ws"), "no-such-group"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("there is no group \"no-such-group\"");
    assertThat(dir.resolve("ws")).doesNotExist();
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  /** The one line of a process of another user, with these groups beside its own. */
  private String as(int user, String groups, Path workspace, String action, String argument)
      throws Exception {
    List<String> other =
        List.of(
            "setpriv",
            "--reuid=" + user,
            "--regid=" + user,
            groups.isEmpty() ? "--clear-groups" : "--groups=" + groups);
    try (ChildProcess child =
        new ChildProcess(other, "64m", UserProcess.class, _ -> {}, workspace, action, argument)) {
      return child.line();
    }
  }

  private static void assumeUsers() throws Exception {
    assumeTrue(
        "root".equals(System.getProperty("user.name"))
            && new ProcessBuilder("setpriv", "--version").start().waitFor() == 0,
        "needs root and setpriv: it runs processes of other users");
  }

  @Test
  void membersOfTheGroupSubmitServeReadAndDeleteAndOthersDoNot() throws Exception {
    assumeUsers();
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path ws = dir.resolve("ws");
    assertThat(as(ANN, GROUP, ws, "create", GROUP)).isEqualTo(ws.toString());
    String job = as(BOB, GROUP, ws, "submit", "hello");
    String other = as(BOB, GROUP, ws, "submit", "not needed");
    assertThat(as(BOB, GROUP, ws, "abort", other)).isEqualTo(Outcome.DONE.toString());
    assertThat(as(ANN, GROUP, ws, "serve", "")).isEqualTo("1 completed");
    assertThat(as(BOB, GROUP, ws, "read", job)).isEqualTo("<hello>");
    assertThat(as(ANN, GROUP, ws, "delete", other)).isEqualTo(Outcome.DONE.toString());
    assertThat(as(BOB, GROUP, ws, "delete", job)).isEqualTo(Outcome.DONE.toString());
    assertThat(as(61003, "", ws, "read", job)).contains("error: ").contains("no permission for");
    assertThat(as(61003, "", dir.resolve("new"), "create", GROUP))
        .contains("it cannot be given to group");
  }

  @Test
  void nobodyElseUsesAPrivateWorkspace() throws Exception {
    assumeUsers();
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path ws = dir.resolve("ws");
    String job = as(ANN, GROUP, ws, "submit", "hello");

    assertThat(as(BOB, GROUP, ws, "submit", "hello")).contains("no permission for");
    assertThat(as(BOB, GROUP, ws, "read", job)).contains("no permission for");
    assertThat(as(ANN, "", ws, "serve", "")).isEqualTo("1 completed");
  }
}
