package dev.millrace.http.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookAllowListTest {
  private static final WebhookAllowList NOTHING_SAID = WebhookAllowList.of(List.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.255.0.9",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.127.255.255",
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "192.0.0.8",
        "::1",
        "::",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2002:c0a8:101::",
        "64:ff9b::7f00:1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2001:0:1:2::3",
        "2001:db8::1"
      })
  void privateAddressesAreRefusedUnlessAnAddressOrARangeAllowsThem(String address) {
    InetAddress resolved = InetAddress.ofLiteral(address);
    assertThat(NOTHING_SAID.allows("hooks.example.org", 80, resolved)).isFalse();
    for (String name : List.of("*", "hooks.example.org", "*.example.org", "hooks.example.org:80")) {
      assertThat(WebhookAllowList.of(List.of(name)).allows("hooks.example.org", 80, resolved))
          .as(name)
          .isFalse();
    }
    assertThat(WebhookAllowList.of(List.of(address)).allows("any.example.org", 80, resolved))
        .isTrue();
    assertThat(
            WebhookAllowList.of(List.of("hooks.example.org", address))
                .allows("hooks.example.org", 80, resolved))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8",
        "172.15.0.1",
        "172.32.0.1",
        "100.63.0.1",
        "100.128.0.1",
        "11.0.0.1",
        "2606:4700::1",
        "2002:808:808::1",
        "64:ff9b::8.8.8.8",
        "2a00:1450::1"
      })
  void publicAddressesAreAllowedUnlessPatternsExcludeThem(String address) {
    InetAddress resolved = InetAddress.ofLiteral(address);
    assertThat(NOTHING_SAID.allows("hooks.example.org", 80, resolved)).isTrue();
    assertThat(WebhookAllowList.of(List.of("other.org")).allows("hooks.example.org", 80, resolved))
        .isFalse();
  }

  @Test
  void patternsMatchHostsSuffixesRangesAndPorts() {
    InetAddress outside = InetAddress.ofLiteral("8.8.8.8");
    InetAddress inside = InetAddress.ofLiteral("10.9.8.7");
    InetAddress six = InetAddress.ofLiteral("fd12::5");
    WebhookAllowList below = WebhookAllowList.of(List.of("*.example.org"));
    assertThat(below.allows("a.b.example.org", 1, outside)).isTrue();
    assertThat(below.allows("example.org", 1, outside)).isFalse();
    assertThat(below.allows("badexample.org", 1, outside)).isFalse();
    assertThat(WebhookAllowList.of(List.of("10.8.0.0/13")).allows("x", 1, inside)).isTrue();
    assertThat(WebhookAllowList.of(List.of("10.0.0.0/13")).allows("x", 1, inside)).isFalse();
    assertThat(WebhookAllowList.of(List.of("fd00::/8")).allows("x", 1, six)).isTrue();
    assertThat(WebhookAllowList.of(List.of("fd00::/8")).allows("x", 1, inside)).isFalse();
    WebhookAllowList port = WebhookAllowList.of(List.of("Hooks.Example.org:8443"));
    assertThat(port.allows("hooks.example.org", 8443, outside)).isTrue();
    assertThat(port.allows("hooks.example.org", 80, outside)).isFalse();
    assertThat(WebhookAllowList.of(List.of("[fd12::5]:90")).allows("x", 90, six)).isTrue();
    assertThat(WebhookAllowList.of(List.of("10.9.8.7:90")).allows("x", 91, inside)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "http://x",
        "10.0.0.0/33",
        "10.0.0.0/x",
        "fd00::/129",
        "10.0.0",
        "x:0",
        "x:70000",
        "*.*.org",
        "a/b",
        "1.2.3.4.5",
        "10.0.0.0/8:80",
        "localhost",
        "LocalHost:80",
        "*.localhost"
      })
  void malformedPatternIsRefusedByName(String pattern) {
    assertThatThrownBy(() -> WebhookAllowList.of(List.of(pattern)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + pattern + "\"");
  }

  /** The address is checked, in whatever notation the host is written. */
  @ParameterizedTest
  @ValueSource(strings = {"2130706433", "0x7f000001", "017700000001", "127.1", "localtest.example"})
  void otherNotationsOfAnAddressAreCheckedToo(String host) throws Exception {
    AllowedAddressResolver.Resolver system =
        name -> {
          try {
            return InetAddress.getAllByName(name);
          } catch (UnknownHostException e) {
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
          }
        };
    try (AllowedAddressResolver guard = new AllowedAddressResolver(NOTHING_SAID, system)) {
      URI uri = URI.create("http://" + host + ":80/");
      if (uri.getHost() != null) { // else it is not a valid URL of a webhook
        assertThatThrownBy(() -> guard.resolve(uri)).isInstanceOf(ForbiddenAddressException.class);
      }
    }
  }

  @Test
  void unlistedHostIsNotLookedUp() throws Exception {
    AllowedAddressResolver.Resolver never =
        _ -> {
          throw new AssertionError("looked up");
        };
    try (AllowedAddressResolver guard =
        new AllowedAddressResolver(WebhookAllowList.of(List.of("hooks.example.org")), never)) {
      assertThatThrownBy(() -> guard.resolve(URI.create("http://other.example.org/")))
          .isInstanceOf(ForbiddenAddressException.class);
    }
  }
}
