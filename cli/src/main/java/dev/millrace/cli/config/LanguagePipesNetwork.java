package dev.millrace.cli.config;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Translates how a process of Language Pipes takes part in its network. */
final class LanguagePipesNetwork {
  private static final int USUAL_PORT = 5000;
  private static final int LAST_PORT = 65_534; // membership uses the next one
  private static final String LISTEN = "listen";
  private static final String JOIN = "join";

  /** A server beside layers has a name of its own: one name is one member. */
  private static final String SERVER_SUFFIX = "-serve";

  private final LanguagePipesTranslation translation;
  private final LanguagePipesTable root;

  LanguagePipesNetwork(LanguagePipesTranslation translation) {
    this.translation = translation;
    this.root = translation.root();
  }

  void translate() {
    int port = root.integer(LanguagePipesKeys.PEER_PORT, 1, LAST_PORT, USUAL_PORT);
    List<HostPort> members = members();
    String host = host(members.isEmpty() ? null : members.getFirst());
    if (host != null) {
      addresses(new HostPort(host, port), members);
    }
    key();
    if (translation.use() != ConfigurationUse.QUERY) {
      names();
    }
  }

  private List<HostPort> members() {
    List<HostPort> members = new ArrayList<>();
    for (LanguagePipesTable node :
        root.tables(LanguagePipesKeys.BOOTSTRAP_NODES, List.of("address", "port"))) {
      String address = node.text("address", "a host or an IP address");
      int port = node.integer("port", 1, LAST_PORT, USUAL_PORT);
      if (address == null) {
        if (!node.has("address")) {
          root.problem(LanguagePipesKeys.BOOTSTRAP_NODES, "address is missing in one of them");
        }
        continue;
      }
      try {
        members.add(new HostPort(address, port));
      } catch (ClusterException e) {
        node.problem("address", "this is no host and no IP address");
      }
    }
    return members;
  }

  /** This machine's address for the others; null if the file's cannot be used. */
  private @Nullable String host(@Nullable HostPort member) {
    String key = LanguagePipesKeys.NETWORK_IP;
    String ip = root.text(key, "an address of this machine");
    if (ip == null) {
      return root.has(key) ? null : LocalAddress.towards(member);
    }
    if (!LocalAddress.isOne(ip)) {
      root.problem(
          key,
          "this is no address of this machine; write one that other nodes can reach, or, if"
              + " another machine forwards it, listen = \"0.0.0.0:PORT\" and advertise ="
              + " \"HOST:PORT\" instead");
      return null;
    }
    return ip;
  }

  private void addresses(HostPort own, List<HostPort> members) {
    List<String> join = new ArrayList<>();
    boolean besideLayers = translation.use() == ConfigurationUse.SERVER && translation.hasBoth();
    if (besideLayers) {
      join.add(own.toString());
    }
    members.stream().filter(it -> !it.equals(own)).map(HostPort::toString).forEach(join::add);
    String listen = (besideLayers ? new HostPort(own.host(), 0) : own).toString();
    String key = firstOf(LanguagePipesKeys.PEER_PORT, LanguagePipesKeys.NETWORK_IP);
    if (key == null || besideLayers) {
      translation.setDefault(LISTEN, listen, "the address of this node");
    } else {
      translation.set(LISTEN, List.of(listen), root, key);
    }
    if (root.has(LanguagePipesKeys.BOOTSTRAP_NODES)) {
      translation.set(JOIN, join, root, LanguagePipesKeys.BOOTSTRAP_NODES);
    } else if (besideLayers) {
      translation.setDefault(JOIN, own.toString(), "the layers of this file");
    }
  }

  private @Nullable String firstOf(String one, String other) {
    return root.has(one) ? one : root.has(other) ? other : null;
  }

  private void key() {
    String key = LanguagePipesKeys.NETWORK_KEY;
    Object value = root.value(key);
    if (value instanceof String hex && !hex.isBlank()) {
      if (translation.isSet("key-file") || translation.isSet("cert")) {
        // the command line wins; the same in the file is a contradiction
        translation.set("key-file", List.of(), root, key);
        translation.set("cert", List.of(), root, key);
        return;
      }
      try {
        NetworkKey.ofHex(hex.strip());
        translation.set(LanguagePipesFile.NETWORK_KEY.name(), List.of(hex.strip()), root, key);
      } catch (ClusterException e) {
        root.problem(key, e.getMessage());
      }
    } else if (value instanceof String) {
      root.problem(key, "it is empty; " + LanguagePipesKeys.KEY_RULE);
    } else if (value != null) {
      root.problem(key, "it must be a text in quotes, the network's 32 hex digits");
    } else if (!translation.isSet("key-file") && !translation.isSet("cert")) {
      translation.missing(key + " is missing; " + LanguagePipesKeys.KEY_RULE);
    }
  }

  private void names() {
    boolean ofServer = translation.use() == ConfigurationUse.SERVER;
    String option = ofServer ? "node-name" : "name";
    String id = root.text(LanguagePipesKeys.NODE_ID, "this node's name");
    if (id != null) {
      String name = ofServer && translation.hasBoth() ? id + SERVER_SUFFIX : id;
      if (check(LanguagePipesKeys.NODE_ID, name)) {
        translation.set(option, List.of(name), root, LanguagePipesKeys.NODE_ID);
      }
    } else if (!root.has(LanguagePipesKeys.NODE_ID) && !translation.isSet(option)) {
      translation.missing("node_id is missing; write node_id = \"NAME\"");
    }
    Set<String> allowed = new LinkedHashSet<>();
    for (String each : root.texts(LanguagePipesKeys.WHITELIST)) {
      if (check(LanguagePipesKeys.WHITELIST, each)) {
        allow(allowed, each);
      }
    }
    if (!allowed.isEmpty()) {
      if (id != null) {
        allow(allowed, id);
      }
      translation.set("allow", List.copyOf(allowed), root, LanguagePipesKeys.WHITELIST);
    }
  }

  /** A listed process may be two members: its layers, and its server. */
  private static void allow(Set<String> allowed, String id) {
    allowed.add(id);
    if (isName(id + SERVER_SUFFIX)) {
      allowed.add(id + SERVER_SUFFIX);
    }
  }

  private boolean check(String key, String name) {
    boolean valid = isName(name);
    if (!valid) {
      root.problem(
          key,
          "a node's name is 1 to 64 of the characters A-Z a-z 0-9 . _ -"
              + (name.endsWith(SERVER_SUFFIX) ? ", " + SERVER_SUFFIX + " included" : "")
              + "; rename it in the files of all nodes");
    }
    return valid;
  }

  private static boolean isName(String name) {
    try {
      NetworkSettings.checkName(name);
      return true;
    } catch (ClusterException e) {
      return false;
    }
  }
}
