package dev.millrace.http;

import dev.millrace.core.task.Backoff;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.transport.TlsFiles;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the HTTP service. A server that other machines can reach must require API keys.
 *
 * @param host a name or address of this machine
 * @param port 0: any free port
 * @param tls null: no encryption
 * @param keys of the clients; null: everyone may do everything
 * @param accessLog takes one line of JSON for each request; null: no access log
 * @param otlp where to send traces; null: no traces
 * @param stageBackoff of stages that are added to a job by a client that names none
 * @param responseAge how long responses of OpenAI's API are kept; 0: none is stored
 */
public record HttpSettings(
    String host,
    int port,
    @Nullable TlsFiles tls,
    @Nullable ApiKeys keys,
    HttpLimits limits,
    @Nullable Consumer<String> accessLog,
    @Nullable URI otlp,
    Backoff stageBackoff,
    Duration responseAge) {

  /** How long OpenAI keeps responses. */
  public static final Duration DEFAULT_RESPONSE_AGE = Duration.ofDays(30);

  /**
   * @throws IllegalArgumentException if the host is unknown, or other machines can reach it and
   *     there are no keys
   */
  public HttpSettings {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " must be 0 to 65535");
    }
    if (responseAge.isNegative()) {
      throw new IllegalArgumentException("responseAge must be at least 0, got " + responseAge);
    }
    if (keys == null && isExposed(host)) {
      throw new IllegalArgumentException(
          "host "
              + host
              + " can be reached from other machines, and there is no file of API keys: name one,"
              + " or listen on 127.0.0.1");
    }
  }

  /**
   * Whether other machines can reach an address of this one.
   *
   * @throws IllegalArgumentException if the host is unknown
   */
  public static boolean isExposed(String host) {
    return !resolve(host).isLoopbackAddress();
  }

  public static HttpSettings loopback(int port) {
    return new HttpSettings(
        "127.0.0.1",
        port,
        null,
        null,
        HttpLimits.DEFAULT,
        null,
        null,
        Backoff.NONE,
        DEFAULT_RESPONSE_AGE);
  }

  public HttpSettings withHost(String newHost) {
    return new HttpSettings(
        newHost, port, tls, keys, limits, accessLog, otlp, stageBackoff, responseAge);
  }

  public HttpSettings withPort(int newPort) {
    return new HttpSettings(
        host, newPort, tls, keys, limits, accessLog, otlp, stageBackoff, responseAge);
  }

  public HttpSettings withTls(@Nullable TlsFiles files) {
    return new HttpSettings(
        host, port, files, keys, limits, accessLog, otlp, stageBackoff, responseAge);
  }

  /**
   * @throws IllegalArgumentException if the file cannot be read or breaks a rule
   */
  public HttpSettings withKeys(@Nullable Path file) {
    ApiKeys read = file == null ? null : ApiKeys.open(file);
    return new HttpSettings(
        host, port, tls, read, limits, accessLog, otlp, stageBackoff, responseAge);
  }

  public HttpSettings withLimits(HttpLimits newLimits) {
    return new HttpSettings(
        host, port, tls, keys, newLimits, accessLog, otlp, stageBackoff, responseAge);
  }

  public HttpSettings withAccessLog(@Nullable Consumer<String> sink) {
    return new HttpSettings(host, port, tls, keys, limits, sink, otlp, stageBackoff, responseAge);
  }

  public HttpSettings withOtlp(@Nullable URI endpoint) {
    return new HttpSettings(
        host, port, tls, keys, limits, accessLog, endpoint, stageBackoff, responseAge);
  }

  public HttpSettings withStageBackoff(Backoff backoff) {
    return new HttpSettings(host, port, tls, keys, limits, accessLog, otlp, backoff, responseAge);
  }

  public HttpSettings withResponseAge(Duration age) {
    return new HttpSettings(host, port, tls, keys, limits, accessLog, otlp, stageBackoff, age);
  }

  InetAddress address() {
    return resolve(host);
  }

  private static InetAddress resolve(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "host \"" + host + "\" is not a name or address of this machine");
    }
  }
}
