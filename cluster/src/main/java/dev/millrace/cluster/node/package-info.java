/** A node that holds layers and works for origins. */
@NullMarked
package dev.millrace.cluster.node;

import org.jspecify.annotations.NullMarked;
