/** Who is in the network, and what each node says of itself. */
@NullMarked
package dev.millrace.cluster.member;

import org.jspecify.annotations.NullMarked;
