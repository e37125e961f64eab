package dev.millrace.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents one certificate in every handshake, whatever authorities the other side names. The JDK's
 * key manager presents none if none of them fits, and then the other side cannot say what is wrong.
 */
public final class SingleKeyManager extends X509ExtendedKeyManager {
  private static final String ALIAS = "node";

  private final CertifiedKey certified;

  public SingleKeyManager(CertifiedKey certified) {
    this.certified = certified;
  }

  private @Nullable String choose(String... types) {
    for (String type : types) {
      if (certified.hasKeyType(type)) {
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
    return certified.hasKeyType(type) ? new String[] {ALIAS} : null;
  }

  @Override
  public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
    return certified.hasKeyType(type) ? new String[] {ALIAS} : null;
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return certified.chainArray();
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return certified.key();
  }
}
