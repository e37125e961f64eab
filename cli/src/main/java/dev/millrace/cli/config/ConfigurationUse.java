package dev.millrace.cli.config;

/** What a configuration of Language Pipes is read for: it describes a whole process. */
public enum ConfigurationUse {
  /** {@code millrace node}: the layers. */
  NODE,
  /** {@code millrace serve}: the end model and the API. */
  SERVER,
  /** {@code millrace serve}: the layers that it holds beside its end model. */
  LAYERS_OF_SERVER,
  /** {@code millrace nodes} and {@code pipes}: where the network is, and its key. */
  QUERY
}
