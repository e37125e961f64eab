package dev.millrace.cli.config;

import dev.millrace.cli.command.SuggestedCommand;
import java.util.List;
import java.util.Map;

/** The keys of Language Pipes, of its present version and of 1.x. */
final class LanguagePipesKeys {
  static final String NODE_ID = "node_id";
  static final String PEER_PORT = "peer_port";
  static final String NETWORK_IP = "network_ip";
  static final String BOOTSTRAP_NODES = "bootstrap_nodes";
  static final String NETWORK_KEY = "network_key";
  static final String WHITELIST = "whitelist_node_ids";
  static final String LAYER_MODELS = "layer_models";
  static final String END_MODELS = "end_models";
  static final String JOB_PORT = "job_port";
  static final String API_KEYS = "api_keys";
  static final String MAX_API_JOBS = "max_api_jobs";

  /** Keys that mean the same here. */
  static final List<String> READ =
      List.of(
          NODE_ID,
          PEER_PORT,
          NETWORK_IP,
          BOOTSTRAP_NODES,
          NETWORK_KEY,
          WHITELIST,
          LAYER_MODELS,
          END_MODELS,
          JOB_PORT,
          API_KEYS,
          MAX_API_JOBS);

  /** Keys that mean nothing here, or something else, with what to write instead. */
  static final Map<String, String> REPLACED =
      Map.of(
          "max_node_jobs",
          "a node rejects no jobs, it bounds memory and pipes; remove the line, or write"
              + " max-origins = N in the file of a node (pipes through it)",
          "whitelist_ips",
          "nodes are admitted by name; write whitelist_node_ids = [\"NAME\"], and filter addresses"
              + " in your firewall",
          "oai_port",
          "this is its name of 1.x; write job_port = N",
          "max_pipes",
          "servers bound the pipes of a model, nodes do not; remove the line, or write max-pipes ="
              + " N in the file of a server",
          "model_validation",
          "models are always identified by the SHA-256 of their file; remove the line",
          "print_times",
          "remove the line; the list of nodes and the metrics of a server show speeds",
          "prefill_chunk_size",
          "the engine chooses it; remove the line",
          "logging_level",
          "remove the line, and set MILLRACE_LOG_LEVEL to error, warn, info, debug or trace",
          "bootstrap_address",
          "this is a key of 1.x; write [[bootstrap_nodes]] with address and port",
          "bootstrap_port",
          "this is a key of 1.x; write [[bootstrap_nodes]] with address and port");

  /** What to do about a network without a key. */
  static final String KEY_RULE =
      "links are always encrypted: write the network's 32 hex digits, or run "
          + SuggestedCommand.of("keygen", "net.key").quoted()
          + ", copy the file to every node, and write key-file = \"net.key\" instead";

  private LanguagePipesKeys() {}

  /** What else to say about a line that is not TOML: people write a key as null, without quotes. */
  static String hint(String line) {
    return line.strip().startsWith(NETWORK_KEY) ? "; " + KEY_RULE : "";
  }

  static boolean isKey(String key) {
    return READ.contains(key) || REPLACED.containsKey(key);
  }
}
