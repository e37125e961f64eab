/** Encrypted, authenticated connections between nodes, and what crosses them. */
@NullMarked
package dev.millrace.cluster.wire;

import org.jspecify.annotations.NullMarked;
