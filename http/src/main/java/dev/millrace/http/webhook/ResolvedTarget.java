package dev.millrace.http.webhook;

import java.net.InetAddress;
import java.net.URI;
import java.util.Locale;

/**
 * The URL of a receiver, with the IP address that was resolved and allowed.
 *
 * @param host as the URL has it, lower-case; an IPv6 address without its brackets
 * @param path with its query
 */
record ResolvedTarget(boolean tls, String host, int port, String path, InetAddress address) {

  static ResolvedTarget of(URI uri, InetAddress address) {
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery();
    String whole = query == null ? path : path + "?" + query;
    return new ResolvedTarget(
        "https".equals(uri.getScheme()), host(uri), port(uri), ascii(whole), address);
  }

  static String host(URI uri) {
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  static int port(URI uri) {
    return uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
  }

  /** The URL without path and query, which may contain secrets. */
  static String loggable(URI uri) {
    return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
  }

  private static String ascii(String path) {
    return URI.create(path.startsWith("//") ? "/." + path : path).toASCIIString();
  }

  /** The value of the {@code Host} field. */
  String authority() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (tls ? 443 : 80) ? name : name + ":" + port;
  }
}
