/** Model files by their hash: found here, or fetched from a peer. */
@NullMarked
package dev.millrace.cluster.transfer;

import org.jspecify.annotations.NullMarked;
