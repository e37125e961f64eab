/** The origin: plans pipes, opens them, leaves nodes that fail, audits those that answer. */
@NullMarked
package dev.millrace.cluster.origin;

import org.jspecify.annotations.NullMarked;
