package dev.millrace.cluster;

import java.util.regex.Pattern;

/** What two sides must agree upon before anything else. */
public final class ClusterProtocol {
  /** Raised with any change of what nodes say to each other. */
  public static final int VERSION = 1;

  /** The longest body of a message. */
  public static final int MAX_BODY = 64 << 20;

  /** The call that a user's command may make, which is no member. */
  public static final String STATE_CALL = "state";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private ClusterProtocol() {}

  /** Whether a node may have that name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }
}
