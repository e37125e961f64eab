package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.model.HouseModel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Two hosts with a cable that is unplugged while a model runs over both. */
@ResourceLock(LauncherProcess.CORES)
class PartitionIT extends LauncherFixture {
  @Test
  void anUnpluggedCableChangesNoByte() {
    try (NetworkNamespace other = NetworkNamespace.open()) {
      assumeTrue(other != null, "network namespaces need root and iproute2");
      run(other);
    }
  }

  private void run(NetworkNamespace other) {
    NodeProcesses.copy(
        HouseModel.in(LauncherProcess.script().getParent()), dir.resolve("house.gguf"));
    assertThat(cli.run("keygen", "network.key").status()).isZero();
    List<String> expected = results("alone", alone());
    int port = NodeProcesses.freePorts();
    String near = other.here() + ":" + port;
    String common = " --key-file network.key --layers house.gguf:1-6 --threads 1 --join ";
    try (LauncherProcess spare =
            LauncherProcess.shell(
                dir,
                "exec \"$millrace\" node --name spare --listen " + near + common + far(other));
        LauncherProcess away =
            LauncherProcess.shell(
                dir,
                other.command()
                    + "\"$millrace\" node --name away --listen "
                    + far(other)
                    + common
                    + near);
        LauncherProcess server = serve(near)) {
      soon().until(() -> server.out().contains("ready"));
      List<String> ids = submit("ws");
      soon().until(() -> done("ws", ids) >= 1);
      other.unplug();
      soon().atMost(Duration.ofSeconds(90)).until(() -> done("ws", ids) == ids.size());
      assertThat(results("ws", ids)).as(server.out()).isEqualTo(expected);
      other.plug();
      // both sides are one network again
      soon()
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(
              () ->
                  assertThat(cli.run("nodes", "--join", near, "--key-file", "network.key").out())
                      .as(spare.out() + away.out())
                      .contains("away", "spare"));
    }
  }

  private static String far(NetworkNamespace other) {
    return other.there() + ":5100";
  }

  private LauncherProcess serve(String near) {
    List<String> options =
        new ArrayList<>(List.of("--threads", "1", "--end-model", "house=house.gguf"));
    options.addAll(List.of("--listen", near.substring(0, near.indexOf(':')) + ":0"));
    options.addAll(List.of("--join", near, "--key-file", "network.key"));
    return launchServer("ws", options);
  }

  private List<String> submit(String workspace) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String seed = Integer.toString(i);
      ids.add(cli.submit(workspace, "Write a story about a bridge", "--seed", seed, "-n", "120"));
    }
    return ids;
  }

  private List<String> alone() {
    List<String> ids = submit("alone");
    drain("alone", "--model", "house=house.gguf");
    return ids;
  }

  private long done(String workspace, List<String> ids) {
    return ids.stream()
        .filter(id -> Files.isDirectory(dir.resolve(workspace + "/output/" + id)))
        .count();
  }

  private List<String> results(String workspace, List<String> ids) {
    return ids.stream().map(id -> cli.run("flow", workspace, id).out()).toList();
  }
}
