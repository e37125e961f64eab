package dev.millrace.http.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The caller of a request: the name of its key, and what the key allows. */
public record Principal(String name, Set<KeyScope> scopes) {

  /** The only organisation: that of the server. */
  public static final String ORGANISATION = "default";

  /** Every caller of a server without keys. */
  public static final Principal LOCAL = new Principal("local", Set.of(KeyScope.ADMIN));

  /** A caller without a key, where none is needed. */
  public static final Principal ANONYMOUS = new Principal("anonymous", Set.of());

  public Principal {
    scopes = Set.copyOf(scopes);
  }

  /** The name of its API key; null if it has none. */
  public @Nullable String keyName() {
    return hasKey() ? name : null;
  }

  /** Whether it came with a key; without keys, everyone is {@link #LOCAL}. */
  public boolean hasKey() {
    return this != LOCAL && !isAnonymous(); // a key may have any name
  }

  public boolean isAnonymous() {
    return scopes.isEmpty();
  }

  public boolean may(KeyScope scope) {
    return scope == KeyScope.NONE || scopes.contains(KeyScope.ADMIN) || scopes.contains(scope);
  }
}
