package dev.millrace.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Shows the same certificate to everybody, whatever authorities they name: the JDK's own would show
 * none where none seems to fit, and the other side could then not say what is wrong.
 */
public final class SingleKeyManager extends X509ExtendedKeyManager {
  private static final String ALIAS = "node";

  private final PrivateKey key;
  private final X509Certificate[] chain;

  public SingleKeyManager(PrivateKey key, X509Certificate[] chain) {
    this.key = key;
    this.chain = chain.clone();
  }

  /** Whether a key of ours is of that type; {@code Ed25519} keys go by {@code EdDSA}. */
  private boolean matchesKeyType(String type) {
    String ours = key.getAlgorithm().startsWith("Ed") ? "EdDSA" : key.getAlgorithm();
    return type.equals(ours) || type.startsWith(ours + "_");
  }

  private @Nullable String choose(String... types) {
    for (String type : types) {
      if (matchesKeyType(type)) {
        return ALIAS;
      }
    }
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return choose(types);
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return choose(types);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return choose(type);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String type, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return choose(type);
  }

  @Override
  public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
    return matchesKeyType(type) ? new String[] {ALIAS} : null;
  }

  @Override
  public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
    return matchesKeyType(type) ? new String[] {ALIAS} : null;
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return chain.clone();
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return key;
  }
}
