/**
 * For commands that are not members of a network: ask any node for the state of all nodes, find
 * where the layers of a pipe are, and draw it as one line of text. Start at {@link NodeStateQuery}.
 */
@NullMarked
package dev.millrace.cluster.query;

import org.jspecify.annotations.NullMarked;
