package dev.millrace.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** Reads the names in a certificate: its common names and its alternative DNS names. */
public final class CertificateNames {
  private static final int DNS = 2;

  private CertificateNames() {}

  public static Set<String> of(X509Certificate certificate) {
    Set<String> names = new TreeSet<>();
    try {
      for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
          names.add(name);
        }
      }
      @Nullable Collection<List<?>> others = certificate.getSubjectAlternativeNames();
      for (List<?> other : others == null ? List.<List<?>>of() : others) {
        if (other.get(0).equals(DNS) && other.get(1) instanceof String name) {
          names.add(name);
        }
      }
    } catch (InvalidNameException | CertificateParsingException e) {
      // A name that cannot be read is no name.
    }
    return names;
  }
}
