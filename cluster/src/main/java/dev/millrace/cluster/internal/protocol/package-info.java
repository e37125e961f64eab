/**
 * The bodies of messages and calls, and their bytes: node states, requests to open a session or to
 * load layers, audit records. Reading is strict, and allocates nothing before the bytes are known
 * to be there. Start at {@link WireCodec}.
 */
@NullMarked
package dev.millrace.cluster.internal.protocol;

import org.jspecify.annotations.NullMarked;
