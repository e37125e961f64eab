package dev.millrace.cluster;

import java.util.regex.Pattern;

/** The version, the limits and the name rule that all nodes of a network share. */
public final class ClusterProtocol {
  /** Goes up with every change of the messages between nodes. */
  public static final int VERSION = 2;

  /** The longest body of a message, in bytes. */
  public static final int MAX_BODY = 64 << 20;

  /** The most layers that a model may have. */
  public static final int MAX_LAYERS = 4_096;

  /** The only call that a command may make, which is not a member of the network. */
  public static final String STATE_CALL = "state";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private ClusterProtocol() {}

  /** Whether a node may have that name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }
}
