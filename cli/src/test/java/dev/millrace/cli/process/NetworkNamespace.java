package dev.millrace.cli.process;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A second host on this machine: a Linux network namespace whose cable can be unplugged. It needs
 * root and iproute2.
 */
final class NetworkNamespace implements AutoCloseable {
  private final String name;
  private final String cable;
  private final String net;

  private NetworkNamespace(String id) {
    name = "mr" + id;
    cable = "mrv" + id;
    net = "10.199." + (Long.parseLong(id) % 250) + ".";
  }

  /** Null if the machine does not allow it. */
  static NetworkNamespace open() {
    NetworkNamespace space =
        new NetworkNamespace(Long.toString(ProcessHandle.current().pid() % 100_000));
    boolean made =
        ip("netns add " + space.name)
            && ip("link add %s type veth peer name %sb".formatted(space.cable, space.cable))
            && ip("link set %sb netns %s".formatted(space.cable, space.name))
            && ip("addr add %s1/24 dev %s".formatted(space.net, space.cable))
            && ip("link set %s up".formatted(space.cable))
            && space.inside("addr add %s2/24 dev %sb".formatted(space.net, space.cable))
            && space.inside("link set %sb up".formatted(space.cable))
            && space.inside("link set lo up");
    if (!made) {
      space.close();
      return null;
    }
    return space;
  }

  /** This machine's address on the cable. */
  String here() {
    return net + "1";
  }

  /** The other host's address. */
  String there() {
    return net + "2";
  }

  /** The prefix of a shell line that runs there. */
  String command() {
    return "exec ip netns exec " + name + " ";
  }

  /** Drops all packets silently. */
  void unplug() {
    require("link set " + cable + " down");
  }

  void plug() {
    require("link set " + cable + " up");
  }

  private void require(String line) {
    if (!ip(line)) {
      throw new AssertionError("ip " + line + " failed");
    }
  }

  private boolean inside(String line) {
    return ip("-n " + name + " " + line);
  }

  private static boolean ip(String line) {
    try {
      Process process =
          new ProcessBuilder(("ip " + line).split(" "))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    ip("link del " + cable);
    ip("netns del " + name);
  }
}
